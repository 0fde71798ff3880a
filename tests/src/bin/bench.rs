//! How fast is it? Everything from one run, as ratios where it can be: absolute times depend on the machine.
//!
//! `cargo xtask bench` runs it. `cargo xtask bench instructions` prints only what is counted and not timed. `cargo xtask bench
//! reductions` prints what each rung of the ladder of reductions costs, in memory, `cargo xtask bench voice-storage` the same
//! for a firmware on QEMU, and `cargo xtask bench orders` how soon searches by chance find a deadlock; with `--csv`, for
//! machines.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fwvs_kernel::Transition;
use fwvs_link::{Link, Machine, Pin, Qemu};
use fwvs_path::{End, Plan, Policy};
use fwvs_session::{Session, Settings};
use fwvs_symbols::Firmware;
use fwvs_tests::instructions::{self, Instructions, SUBJECTS};
use fwvs_tests::target::Target;
use fwvs_tests::{benchmark, chance, voice_storage};

type AnySession = Session<Box<dyn Link + Send>>;
type Failure = Box<dyn std::error::Error>;

/// Rounds of ping-pong: five operations each.
const ROUNDS: u32 = 8;
/// Searches of more paths than this are cut, and marked.
const MOST_PATHS: u64 = 1_000_000;
/// Searches of the voice storage system that take longer than this are cut, and marked: in seconds.
const LONGEST: u32 = 90;
/// The emulator.
const QEMU: &str = "qemu-system-arm";
/// How long each way is measured.
const LONG_ENOUGH: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        [] => bench(),
        ["instructions"] => on_the_target(),
        ["reductions"] => {
            print!("{}", benchmark::table(&benchmark::benchmark(MOST_PATHS)));
            Ok(())
        }
        ["reductions", "--csv"] => {
            print!("{}", benchmark::csv(&benchmark::benchmark(MOST_PATHS)));
            Ok(())
        }
        ["voice-storage"] => voice(voice_storage::table),
        ["voice-storage", "--csv"] => voice(voice_storage::csv),
        ["orders"] => {
            print!("{}", chance::table(&chance::benchmark()));
            Ok(())
        }
        ["orders", "--csv"] => {
            print!("{}", chance::csv(&chance::benchmark()));
            Ok(())
        }
        _ => Err(
            "write nothing, `instructions`, `reductions`, `voice-storage` or `orders`, and `--csv` behind the last three \
             for machines"
                .into(),
        ),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn voice(format: fn(&[voice_storage::Line]) -> String) -> Result<(), Failure> {
    print!("{}", format(&voice_storage::benchmark(LONGEST)?));
    Ok(())
}

fn bench() -> Result<(), Failure> {
    let mut session = open("ping-pong", &[("rounds", ROUNDS)], Path::new(QEMU))?;
    let path = first_path(&mut session)?;
    let length = path.len();
    println!("ping-pong on qemu-lm3s6965: one path of {length} operations, over and over\n");

    let steps = rate(|| step_mode(&mut session, &path))?;
    let before = session.shares();
    let begin = Instant::now();
    let loud = rate(|| path_mode(&mut session, &path, 0))?;
    let (total, after) = (begin.elapsed(), session.shares());
    let quiet = rate(|| path_mode(&mut session, &path, length - 1))?;

    println!("{:34} {:>12} {:>16} {:>7}", "", "paths/s", "transitions/s", "ratio");
    let row = |name: &str, rate: f64| {
        println!("{name:34} {rate:>12.0} {:>16.0} {:>6.1}x", rate * length as f64, rate / steps);
    };
    row("step mode: a trap an operation", steps);
    row("path mode, every record read", loud);
    row("path mode, known records digested", quiet);

    let reset = alone(&mut session, true)?.saturating_sub(alone(&mut session, false)?);
    let paths = loud * total.as_secs_f64();
    let share = |time: f64| 100.0 * time / total.as_secs_f64();
    let reset = reset.as_secs_f64() * paths;
    let transfer = (after.link.transfer - before.link.transfer).as_secs_f64();
    let run = (after.link.run - before.link.run).as_secs_f64()
        + (after.link.reset - before.link.reset).as_secs_f64();
    let mirror = (after.mirror - before.mirror).as_secs_f64();
    println!(
        "\nwhere path mode's time goes: reset {:.0} %, transfer {:.0} %, run {:.0} %, mirror {:.0} %, rest {:.0} %",
        share(reset),
        share(transfer),
        share(run - reset),
        share(mirror),
        100.0 - share(transfer) - share(run) - share(mirror)
    );
    println!("(a reset travels with the resume; its share is measured on its own and taken off `run`)");

    println!();
    on_the_target()
}

/// How often a second something can be done.
fn rate(mut once: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    once()?;
    let begin = Instant::now();
    let mut times = 0;
    while begin.elapsed() < LONG_ENOUGH {
        once()?;
        times += 1;
    }
    Ok(f64::from(times) / begin.elapsed().as_secs_f64())
}

fn step_mode(session: &mut AnySession, path: &[Transition]) -> Result<(), Failure> {
    let mut ended = session.restart()?;
    for transition in path {
        assert_eq!(ended, End::Asked, "the path goes on");
        ended = session.step(*transition)?;
    }
    assert_eq!(ended, End::Finished, "the path is over");
    Ok(())
}

fn path_mode(session: &mut AnySession, path: &[Transition], same: usize) -> Result<(), Failure> {
    let script = &path[..path.len().min(same + 1)];
    let plan = Plan { same, ..Plan::new(script, Policy::First, 1000) };
    assert_eq!(session.run_path(&plan)?, End::Finished, "the path is over");
    assert_eq!(session.mirror().steps().len(), path.len(), "every operation was seen");
    Ok(())
}

fn first_path(session: &mut AnySession) -> Result<Vec<Transition>, Failure> {
    session.run_path(&Plan::new(&[], Policy::First, 1000))?;
    Ok(session.mirror().steps().iter().map(|step| step.transition).collect())
}

/// The time of a read, with or without a reset before it.
fn alone(session: &mut AnySession, reset: bool) -> Result<Duration, Failure> {
    let rate = rate(|| {
        let address = session.firmware().description().report;
        if reset {
            session.link().reset()?;
        }
        let mut word = [0; 4];
        session.link().read(address, &mut word)?;
        Ok(())
    })?;
    Ok(Duration::from_secs_f64(1.0 / rate))
}

/// What the target itself costs: instructions, and room in flash.
fn on_the_target() -> Result<(), Failure> {
    let titles = ["a path's begin and end", "a scripted transition", "one by the target itself"];
    println!("{:22} {:>23} {:>23} {:>25}", "target instructions", titles[0], titles[1], titles[2]);
    for subject in SUBJECTS {
        let Instructions { path, scripted, extended } = instructions::count(&subject)?;
        println!("{:22} {path:>23} {scripted:>23.0} {extended:>25.0}", subject.name);
    }
    println!("one sleeper, at each transition by the target itself: {:.0}", instructions::sleeper()?);
    let target = Target::example("ping-pong", &[]);
    let flash: usize = target.firmware().segments().iter().map(|segment| segment.bytes().len()).sum();
    println!("flash of ping-pong, with shim and kernel: {flash} bytes");
    Ok(())
}

/// An example on the default board.
fn open(example: &str, parameters: &[(&str, u32)], qemu: &Path) -> Result<AnySession, Failure> {
    let folder =
        std::env::var_os("FWVS_EXAMPLES").ok_or("FWVS_EXAMPLES is not set: run `cargo xtask bench`")?;
    let path = Path::new(&folder).join(example);
    let firmware = Arc::new(Firmware::load(&path)?);
    let mut words = Vec::new();
    for parameter in firmware.parameters() {
        let set = parameters.iter().find(|(name, _)| *name == parameter.name);
        words.push((
            parameter.address,
            set.map_or_else(|| parameter.default_words(), |(_, value)| vec![*value]),
        ));
    }
    let machine = Machine { program: qemu.into(), ..Machine::new("lm3s6965evb") };
    let link: Box<dyn Link + Send> = Box::new(Qemu::start(&machine, &path, Pin::Core(0))?);
    Ok(Session::open(link, firmware, &words, Settings::new(Duration::from_secs(10)))?)
}
