//! Hundreds of kills and pauses at random moments change no count, no finding and no verdict.
//!
//! The seed is printed; `FWVS_SEED` sets it. Which moment it was also depends on how fast the computer is, so a failure tells what
//! was done when.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use fwvs_program::{Instruction, ObjectSpec};
use fwvs_tests::campaign::{Campaign, Workload};
use fwvs_tests::mischief::{kill_emulators, kill_hosts, pause_emulators};
use fwvs_tests::{Program, full};

/// Less than most pauses take, and far more than any step does.
const DIVERGENCE: [&str; 2] = ["--divergence", "300ms"];

/// Three tasks that give a semaphore so often each, whenever they like.
fn givers(times: [usize; 3]) -> Workload {
    let give = Instruction::Give { object: 0 };
    let program = Program {
        objects: vec![ObjectSpec::Semaphore { level: 0, max: 255 }],
        tasks: times.iter().map(|times| vec![give; *times]).collect(),
        ..Program::default()
    };
    let hex: String = program.encode().iter().map(|byte| format!("{byte:02x}")).collect();
    let program = format!("program={hex}");
    Workload::new(&DIVERGENCE, &["--example", "program", "--set", &program, "--reduction", "none"])
}

/// Searches of different kinds, with findings and without, each of some seconds.
fn workloads() -> &'static [Workload] {
    static WORKLOADS: OnceLock<Vec<Workload>> = OnceLock::new();
    WORKLOADS.get_or_init(|| {
        if !full() {
            return vec![givers([4, 3, 3])];
        }
        let trunk = ["--example", "voice-storage", "--set", "operations=1", "--reduction"];
        let beats = ["--example", "heart-beat-monitor", "--set", "K=4", "--set", "STAGE2=10"];
        let of = |arguments: &[&str]| Workload::new(&DIVERGENCE, arguments);
        vec![
            givers([4, 4, 3]),
            of(&["--example", "philosophers", "--reduction", "none", "--max-paths", "5000"]),
            of(&[&beats[..], &["--set", "INTERVALS=6"]].concat()),
            of(&["--example", "lock-order", "--set", "endless=1", "--max-paths", "6000"]),
            of(&[&trunk[..], &["sleep", "--set", "credulous=1", "--max-paths", "2500"]].concat()),
            of(&[&trunk[..], &["persistent"]].concat()),
        ]
    })
}

/// One for all tests.
fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("FWVS_SEED") {
        Ok(seed) => seed.parse().unwrap_or_else(|_| panic!("FWVS_SEED={seed} is no number")),
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
            now.as_nanos() as u64 % 1_000_000
        }
    })
}

fn campaign(name: &'static str, runs: u64, wanted: u64, lanes: usize) -> Campaign {
    let (runs, wanted) = if full() { (runs, wanted) } else { (1, wanted / 50) };
    Campaign { name, seed: seed(), workloads: workloads(), runs, wanted, lanes }
}

#[test]
fn killing_qemu_at_any_age_changes_nothing() {
    campaign("kills of QEMU", 10, 200, 2).run(kill_emulators);
}

/// Longer than a task may take: what has not run has not taken too long.
#[test]
fn pausing_qemu_at_any_age_changes_nothing() {
    // Who is paused needs no processor.
    campaign("pauses of QEMU", 10, 100, 5).run(pause_emulators);
}

#[test]
fn killing_the_host_at_any_age_loses_nothing() {
    campaign("kills of fw-vs", 10, 100, 2).run(kill_hosts);
}
