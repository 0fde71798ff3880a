//! Which findings are the same: those with the same identity. A key is a short form of it.
//!
//! Keys are written down with a run that is put aside, so they must not change with the compiler or its library, as the hashes
//! of the standard library may: what is hashed is JSON, and the hash is spelled out here.

use fwvs_kernel::{ObjectId, Operation, TaskId, Verb};
use serde::Serialize;

use crate::scene::Scene;
use crate::spin::Spin;

/// What makes two findings with the same name the same.
#[derive(Clone, Copy, Debug)]
pub(super) enum Same<'a> {
    /// Where the tasks stand that wait for each other, wherever others are.
    Waits,
    /// What one task waits for, and where.
    WaitOf(TaskId),
    /// Which task took the last transition, and with which operation.
    LastStep,
    /// What the kernel found wrong with the last operation, and that operation.
    Forbidden(fwvs_kernel::Wrong),
    /// Where a task goes round, and the last operation.
    Round(Spin),
    /// A place, as text.
    Place(&'a str),
    /// An instruction, and a code for what happened there.
    Instruction { pc: u32, code: u32 },
    /// A number.
    Number(u32),
}

/// What makes a finding this one and no other.
#[derive(Serialize)]
struct Identity<'a> {
    name: &'static str,
    /// The task whose code ran, where that makes a difference.
    running: Option<TaskId>,
    parts: Parts<'a>,
}

/// What [`Same`] stands for on a path.
#[derive(Serialize)]
#[serde(untagged)]
enum Parts<'a> {
    Waits(Vec<(TaskId, Option<Operation>, u32)>),
    WaitOf(TaskId, Option<Subject>, Option<u32>),
    LastStep(Option<TaskId>, Option<Call>),
    Forbidden(fwvs_kernel::Wrong, Option<Call>),
    Round(Spin, Option<Call>),
    Place(&'a str),
    Instruction(u32, u32),
    Number(u32),
}

/// Where something was called, and what. Two calls can have one place in the program, where the compiler has merged them.
type Call = (u32, Subject);

/// What an operation is about, values aside: its object, or the text of its check.
type Subject = (&'static str, Option<ObjectId>, Option<u16>);

impl Scene<'_> {
    /// What is wrong, as a number that is the same wherever and whenever it is worked out.
    pub(crate) fn key(&self) -> u64 {
        let text = serde_json::to_vec(&self.identity());
        fnv(&text.expect("an identity has no keys but names, and no failing parts"))
    }

    fn identity(&self) -> Option<Identity<'_>> {
        let about = self.wrong()?.about(*self);
        let mirror = self.mirror();
        let last = mirror.steps().last();
        let call = last.map(|step| (step.pc, subject(step.taken.operation)));
        let calls = mirror.calls(mirror.steps().len());
        // Where tasks wait for each other, no matter which of them came last.
        let cycle = self.cycle();
        let parts = match about.same {
            Same::Waits => {
                let tasks = mirror.last().tasks().iter().zip(calls);
                let among = tasks.filter(|(task, _)| cycle.is_empty() || cycle.contains(&task.id));
                Parts::Waits(among.map(|(task, call)| (task.id, task.pending, *call)).collect())
            }
            Same::WaitOf(task) => {
                let waits_for = mirror.last().pending(task).map(subject);
                Parts::WaitOf(task, waits_for, calls.get(usize::from(task.0.index)).copied())
            }
            Same::LastStep => Parts::LastStep(last.map(|step| step.transition.task), call),
            Same::Forbidden(wrong) => Parts::Forbidden(wrong, call),
            Same::Round(spin) => Parts::Round(spin, call),
            Same::Place(place) => Parts::Place(place),
            Same::Instruction { pc, code } => Parts::Instruction(pc, code),
            Same::Number(number) => Parts::Number(number),
        };
        // Nor which task happened to run when another had waited for too long.
        let any_runs = !cycle.is_empty() || matches!(about.same, Same::WaitOf(_));
        Some(Identity { name: about.name, running: self.running().filter(|_| !any_runs), parts })
    }
}

fn subject(operation: Operation) -> Subject {
    let check = operation.name().filter(|_| operation.verb == Verb::Assert);
    (operation.word(), operation.object(), check)
}

/// FNV-1a with 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the authors' own list.
    #[test]
    fn the_hash_is_the_one_that_others_know() {
        let known =
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
        assert_eq!(known.map(|(text, _)| fnv(text.as_bytes())), known.map(|(_, hash)| hash));
    }

    /// Whoever changes this text gives every finding another key, and checkpoints another format.
    #[test]
    fn keys_stand_for_this_text() {
        let take = (0x1234, ("take", Some(ObjectId::setup(1)), None));
        let parts = Parts::LastStep(Some(TaskId::setup(2)), Some(take));
        let identity = Identity { name: "assertion", running: Some(TaskId::setup(2)), parts };
        let text = serde_json::to_string(&identity).expect("it has no failing parts");
        let expected = concat!(
            r#"{"name":"assertion","running":{"mark":255,"index":2},"parts":[{"mark":255,"index":2},"#,
            r#"[4660,["take",{"mark":255,"index":1},null]]]}"#
        );
        assert_eq!(text, expected);
    }
}
