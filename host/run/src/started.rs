//! The first word of a run: what runs, where and how.

use std::collections::BTreeMap;
use std::path::Path;

use fwvs_kernel::{Kind, Role, Task};
use fwvs_scenario::{Declared, DeclaredKind, Started};

use crate::named::Named;
use crate::run::Run;
use crate::target::AnySession;

/// What runs, with its files in that directory; `ends` if its paths do.
pub(crate) fn started(run: &Run, session: &AnySession, directory: &Path, ends: bool) -> Started {
    let Run { job, target, .. } = run;
    Started {
        firmware: target.firmware.name().to_owned(),
        firmware_sha256: target.firmware.sha256().to_owned(),
        board: target.board.name.clone(),
        schedule: session.roster().schedule().name().to_owned(),
        time: job.world.clock.name().to_owned(),
        reduction: job.reduction_name(ends).to_owned(),
        depth: job.depth as u64,
        workers: 1,
        parameters: target.set.clone(),
        tasks: tasks(session),
        objects: session.roster().objects().to_vec(),
        declared: declared(session),
        directory: Some(directory.to_owned()),
    }
}

/// The names of the firmware's tasks and the environment's. Lines and timers are objects, and the daemon is the shim's.
fn tasks(session: &AnySession) -> Vec<String> {
    let roster = session.roster();
    let real = |task: &&Task| matches!(task.role, Role::Firmware | Role::Environment);
    roster.kernel().tasks().iter().filter(real).map(|task| roster.task(task.id).to_owned()).collect()
}

/// What the firmware declares, kind by kind: not what the shim makes of it, such as handlers and the timer daemon.
fn declared(session: &AnySession) -> Vec<Declared> {
    let kernel = session.roster().kernel();
    let tasks = kernel.tasks().iter().filter_map(|task| match task.role {
        Role::Firmware => Some(DeclaredKind::Task),
        Role::Environment => Some(DeclaredKind::EnvironmentTask),
        // Their objects are counted.
        Role::Interrupt { .. } | Role::Timer { .. } | Role::Daemon | Role::Clock => None,
    });
    let objects = kernel.objects().iter().filter_map(|object| match object.kind {
        Kind::Line { .. } => Some(DeclaredKind::Interrupt),
        Kind::Timer { .. } => Some(DeclaredKind::Timer),
        Kind::Queue { .. } => Some(DeclaredKind::Queue),
        Kind::Semaphore { .. } => Some(DeclaredKind::Semaphore),
        Kind::Mutex { .. } => Some(DeclaredKind::Mutex),
        Kind::Shared => Some(DeclaredKind::SharedVariable),
        Kind::Commands { .. } => None,
    });
    let mut numbers: BTreeMap<DeclaredKind, u64> = BTreeMap::new();
    tasks.chain(objects).for_each(|kind| *numbers.entry(kind).or_default() += 1);
    numbers.into_iter().map(|(kind, number)| Declared { kind, number }).collect()
}
