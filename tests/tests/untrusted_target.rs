//! What comes back from the target is untrusted: whatever it is, the outcome is a path or an error that says why.
//!
//! Real firmware on a real QEMU, and somebody in between who changes bytes. First every error that bytes can lead to,
//! one by one; then changes by the hundred, drawn by lot.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fwvs_explore::{Counts, Exhaustive, Limits, Model, Runner, explore};
use fwvs_kernel::{TaskId, Transition};
use fwvs_link::{Error as LinkError, Link, Qemu, Stop};
use fwvs_path::{End, Plan, Policy};
use fwvs_session::{Difference, Error, Impossible, Session};
use fwvs_tests::generate::Dice;
use fwvs_tests::meddle::{Meddled, Meddling};
use fwvs_tests::target::Target;
use fwvs_wire::record::{COMPLETE, WIDE};
use fwvs_wire::{Creation, Malformed, Record, Report, StopCode};
use zerocopy::{FromBytes, IntoBytes};

/// Long enough for a path, short enough for a hundred that never end.
const DIVERGENCE: Duration = Duration::from_millis(60);
/// No exploration of a few paths takes longer, whatever the target does.
const PATIENCE: Duration = Duration::from_secs(20);

/// Every error there is. A new one does not compile before it has a name here, and is not reached without a case.
fn name(error: &Error) -> &'static str {
    match error {
        Error::Link(_) => "link",
        Error::KeepsDying { .. } => "keeps dying",
        Error::Starved { .. } => "starved",
        Error::Nondeterministic { .. } => "nondeterministic",
        Error::Stopped { .. } => "stopped",
        Error::TooManyAsleep { .. } => "too many asleep",
        Error::Mismatch { difference, .. } => match difference {
            Difference::Transition { .. } => "mismatch: transition",
            Difference::Outcome { .. } => "mismatch: outcome",
            Difference::State { .. } => "mismatch: state",
            Difference::End { .. } => "mismatch: end",
            Difference::Count { .. } => "mismatch: count",
        },
        Error::Impossible(impossible) => match impossible {
            Impossible::Stop(_) => "impossible: stop",
            Impossible::Path { .. } => "impossible: path",
            Impossible::Orders => "impossible: orders",
            Impossible::Filled { .. } => "impossible: filled",
            Impossible::Creations { .. } => "impossible: creations",
            Impossible::Creation(_) => "impossible: creation",
            Impossible::Name(_) => "impossible: name",
            Impossible::Record { why: Malformed::Operation(_), .. } => "impossible: record's operation",
            Impossible::Record { why: Malformed::Flags(_), .. } => "impossible: record's flags",
            Impossible::Record { why: Malformed::Argument(_), .. } => "impossible: record's argument",
            Impossible::Incomplete(_) => "impossible: incomplete",
            Impossible::Object { .. } => "impossible: object",
            Impossible::Room => "impossible: room",
            Impossible::Arrivals => "impossible: arrivals",
            Impossible::Unexpected(_) => "impossible: unexpected",
        },
    }
}

/// The names of all errors.
const ERRORS: &[&str] = &[
    "link",
    "keeps dying",
    "starved",
    "nondeterministic",
    "stopped",
    "too many asleep",
    "mismatch: transition",
    "mismatch: outcome",
    "mismatch: state",
    "mismatch: end",
    "mismatch: count",
    "impossible: stop",
    "impossible: path",
    "impossible: orders",
    "impossible: filled",
    "impossible: creations",
    "impossible: creation",
    "impossible: name",
    "impossible: record's operation",
    "impossible: record's flags",
    "impossible: record's argument",
    "impossible: incomplete",
    "impossible: object",
    "impossible: room",
    "impossible: arrivals",
    "impossible: unexpected",
];

fn philosophers() -> Target {
    Target::example("philosophers", &[("N", "2")])
}

/// Opens a session and explores a little, as `fw-vs explore` would.
fn explore_a_little(target: &Target, link: &mut dyn Link, meddling: impl Meddling) -> Result<Counts, Error> {
    let mut session = target.open(Meddled::new(link, meddling), DIVERGENCE)?;
    session.rehearse(50)?;
    let counts = explore_on(&mut session)?;
    step_a_little(&mut session)?;
    Ok(counts)
}

/// In step mode the core stops in the middle of paths, where its memory matters.
fn step_a_little<L: Link>(session: &mut Session<L>) -> Result<(), Error> {
    let mut ended = session.restart()?;
    while ended == End::Asked {
        let at = session.model().length();
        let next = session.model().enabled(at).next().expect("the target asks only if something is enabled");
        ended = session.step(next)?;
    }
    if ended == End::Finding {
        session.finding().expect("a finding has words");
    }
    Ok(())
}

fn explore_on<L: Link>(session: &mut Session<L>) -> Result<Counts, Error> {
    let mut look = |session: &Session<L>, end: End, _: &Counts| {
        if end == End::Finding {
            let finding = session.finding().expect("a finding has words");
            assert_eq!(finding.steps.len(), session.model().length());
            session.finding_key();
        }
        ControlFlow::Continue(())
    };
    let limits = Limits { depth: 50, paths: 12, ..Limits::default() };
    explore(session, &mut Exhaustive::default(), limits, &mut look).map(|(_, counts)| counts)
}

/// Edits reports: which are counted from 0, the first being the one of the set-up.
fn reports(target: &Target, mut edit: impl FnMut(usize, &mut Report, &mut [Record])) -> impl Meddling {
    let place = target.firmware().description().report;
    let mut seen = 0;
    move |address: u32, bytes: &mut [u8]| {
        if address == place {
            let (head, places) = bytes.split_at_mut(Report::BYTES);
            let report = Report::mut_from_bytes(head).expect("as long as it is");
            let records = <[Record]>::mut_from_bytes(places).expect("whole records");
            edit(seen, report, records);
            seen += 1;
        }
    }
}

/// Edits the entries of the set-up, and how many there are said to be.
fn setup(target: &Target, count: impl Fn(u16) -> u16, edit: impl Fn(&mut [Creation])) -> impl Meddling {
    let description = *target.firmware().description();
    move |address: u32, bytes: &mut [u8]| {
        if address == description.report {
            let report = Report::mut_from_bytes(&mut bytes[..Report::BYTES]).expect("as long as it is");
            report.creations = count(report.creations);
        }
        if address == description.setup {
            edit(<[Creation]>::mut_from_bytes(bytes).expect("whole entries"));
        }
    }
}

/// Somebody who does something each time the core is to run.
struct AtResume<F>(F);

impl<F: FnMut(&mut dyn Link) -> Result<(), LinkError>> Meddling for AtResume<F> {
    fn before_resume(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        (self.0)(link)
    }
}

/// Somebody who never lets the core run.
struct Standing;

impl Meddling for Standing {
    fn budget(&mut self, _: Duration) -> Option<Duration> {
        None
    }

    fn knows_target_time(&self) -> bool {
        false
    }
}

/// Somebody who says why the core stopped.
struct AtStop<F>(F);

impl<F: FnMut(Stop) -> Result<Stop, LinkError>> Meddling for AtStop<F> {
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, LinkError> {
        (self.0)(stop)
    }
}

/// One QEMU for many meddlers, and the errors that they have led to.
struct Bench {
    target: Target,
    qemu: Qemu,
    reached: BTreeSet<&'static str>,
}

impl Bench {
    fn new() -> Self {
        let target = philosophers();
        Self { qemu: target.qemu(), target, reached: BTreeSet::new() }
    }

    /// The meddling leads to this error, and the next one has a target that works.
    fn expect(&mut self, wanted: &'static str, meddling: impl Meddling) {
        let outcome = explore_a_little(&self.target, &mut self.qemu, meddling);
        self.note(wanted, outcome);
    }

    fn report(&mut self, wanted: &'static str, edit: impl FnMut(usize, &mut Report, &mut [Record])) {
        self.expect(wanted, reports(&self.target.clone(), edit));
    }

    fn setup(&mut self, wanted: &'static str, count: impl Fn(u16) -> u16, edit: impl Fn(&mut [Creation])) {
        self.expect(wanted, setup(&self.target.clone(), count, edit));
    }

    fn note<T: std::fmt::Debug>(&mut self, wanted: &'static str, outcome: Result<T, Error>) {
        let error = outcome.expect_err(wanted);
        assert_eq!(name(&error), wanted, "{error}");
        assert!(!error.to_string().is_empty());
        self.reached.insert(wanted);
    }
}

#[test]
fn every_error_can_be_reached_and_says_what_it_is() {
    let mut bench = Bench::new();
    let same = |count: u16| count;

    bench.report("impossible: stop", |_, report, _| report.stop = 99);
    bench.report("impossible: filled", |at, report, _| {
        report.filled = if at > 0 { 60_000 } else { report.filled }
    });
    bench.setup("impossible: creations", |_| 60_000, |_| {});
    bench.setup("impossible: creation", same, |entries| entries[1].what = 99);
    bench.setup("impossible: name", same, |entries| entries[1].name = 0xf000_0000);
    bench.setup(
        "impossible: room",
        |_| 40,
        |entries| {
            let task = entries.iter().find(|entry| entry.what == 1).copied().expect("there are tasks");
            entries.fill(task);
        },
    );
    bench.setup("impossible: arrivals", |count| count - 1, |_| {});
    bench.setup("impossible: object", same, |entries| {
        // The first arrival: a record, whose task's name begins with the mark of the set-up.
        let arrival = entries.iter_mut().find(|entry| entry.what == 0xff).expect("tasks have arrived");
        let record = Record::mut_from_bytes(arrival.as_mut_bytes()).expect("16 bytes");
        record.object = [0xff, 200];
    });
    let first = |at: usize, records: &mut [Record], edit: fn(&mut Record)| {
        // Not once, for then it would be run again and nothing would be wrong.
        if at > 0 {
            edit(&mut records[0]);
        }
    };
    bench.report("impossible: object", |at, _, records| first(at, records, |record| record.object[1] = 200));
    bench.report("impossible: record's operation", |at, _, records| {
        first(at, records, |record| record.operation = 77);
    });
    bench.report("impossible: record's flags", |at, _, records| {
        first(at, records, |record| record.flags = COMPLETE | WIDE);
    });
    bench.report("impossible: record's argument", |at, _, records| {
        // More ticks than fit, which are in the next 16 bytes, which there are not.
        first(at, records, |record| record.argument = 0xfffe);
    });
    bench.report("impossible: incomplete", |at, _, records| first(at, records, |record| record.flags = 0));
    bench.report("mismatch: transition", |at, _, records| first(at, records, |record| record.task[1] ^= 1));
    bench.report("mismatch: outcome", |at, _, records| first(at, records, |record| record.level += 1));
    bench.report("mismatch: count", |at, report, _| report.transitions += u32::from(at > 0));
    bench.report("mismatch: state", |at, report, _| report.kernel ^= u32::from(at > 0));
    bench.report("mismatch: state", |at, report, _| report.trace ^= u32::from(at > 0) << 31);
    let stop = |wanted: StopCode| {
        move |at: usize, report: &mut Report, _: &mut [Record]| {
            report.stop = if at > 0 { wanted as u32 } else { report.stop };
        }
    };
    bench.report("mismatch: end", stop(StopCode::Depth));
    bench.report("mismatch: end", stop(StopCode::Asked));
    bench.report("mismatch: end", stop(StopCode::NotEnabled));
    bench.report("impossible: unexpected", stop(StopCode::Refill));

    bench.report("impossible: path", |at, report, _| report.path ^= u16::from(at > 0));
    let orders = bench.target.firmware().description().orders;
    bench.expect("impossible: orders", AtResume(|link: &mut dyn Link| link.write(orders, &[0; 64])));
    let somebody = |_| Ok(Stop::Other { cause: "signal 5".to_owned(), pc: 0x1234 });
    let mut stops = 0;
    bench.expect(
        "stopped",
        AtStop(|stop: Stop| {
            stops += 1;
            if stops > 1 { somebody(stop) } else { Ok(stop) }
        }),
    );
    bench.expect("starved", Standing);
    bench.expect(
        "link",
        AtStop(|_| Err(LinkError::GivenUp { peer: "the target".to_owned(), cause: "a cause".to_owned() })),
    );

    // The second run of the rehearsal: decisions that are known, of which another record is told.
    bench.report("nondeterministic", |at, report, records| {
        report.trace ^= u32::from(at == 2);
        if at > 2 {
            records[0].pc ^= 2;
        }
    });
    // The same set-up, or so it should be.
    bench.report("nondeterministic", |at, report, _| report.setup ^= u32::from(at > 0));

    let target = bench.target.clone();
    let mut session = target.open(target.qemu(), DIVERGENCE).expect("it starts");
    let every_other = |place: usize| Transition { task: TaskId::setup(0), alternative: 2 * place as u16 };
    let asleep: [Transition; 200] = std::array::from_fn(every_other);
    let plan = Plan { asleep: &asleep, ..Plan::new(&[], Policy::Fair, 50) };
    bench.note("too many asleep", session.run_path(&plan));

    let mut runs = 0;
    bench.expect(
        "keeps dying",
        AtStop(|stop: Stop| {
            runs += 1;
            let (peer, said) = ("the target".to_owned(), String::new());
            if runs > 1 { Err(LinkError::Died { peer, how: None, said }) } else { Ok(stop) }
        }),
    );

    let expected: BTreeSet<&str> = ERRORS.iter().copied().collect();
    assert_eq!(bench.reached, expected, "errors that are reached, and errors that there are");
}

#[test]
fn an_incomplete_record_before_a_drain_is_told_by_its_number() {
    let target = philosophers();
    let meddling = reports(&target, |at, report, records| match at % 2 {
        1 => {
            (report.stop, report.filled) = (StopCode::Drain as u32, 1);
            records[0].flags = 0;
        }
        _ if at > 0 => report.filled = 1,
        _ => {}
    });
    let outcome = explore_a_little(&target, &mut target.qemu(), meddling);
    let Err(Error::Impossible(Impossible::Incomplete(number))) = outcome else { panic!("{outcome:?}") };
    assert_eq!(number, 0);
}

#[test]
fn a_target_that_asks_again_and_again_is_not_answered_for_ever() {
    let mut bench = Bench::new();
    let begin = Instant::now();
    bench.report("impossible: unexpected", |at, report, _| {
        report.stop = if at > 0 { StopCode::Drain as u32 } else { report.stop };
    });
    bench.report("impossible: unexpected", |at, report, _| {
        // From the second run of the rehearsal on there is a script, so there can be more of it.
        if at > 1 {
            (report.stop, report.transitions, report.filled) = (StopCode::Refill as u32, 0, 0);
        }
    });
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
}

#[test]
fn a_check_fails_only_if_the_host_has_seen_it_fail() {
    let stop = StopCode::Assertion as u32;
    Bench::new()
        .report("mismatch: end", |at, report, _| report.stop = if at > 0 { stop } else { report.stop });
}

#[test]
fn a_death_while_records_are_compared_is_no_nondeterminism() {
    let target = philosophers();
    let mut qemu = target.qemu();
    let mut session =
        target.open(Meddled::new(&mut qemu, DiesComparing::new(&target)), DIVERGENCE).expect("opens");
    let outcome = session.rehearse(50);
    // The report that was wrong once is right after the death: there is nothing to complain about.
    assert!(matches!(outcome, Ok(true)), "{outcome:?}");
    assert_eq!(session.respawns(), 1);
}

/// Spoils the second report of a rehearsal, so that records are compared, and dies while that is done.
struct DiesComparing {
    report: u32,
    reports: u32,
    stops: u32,
}

impl DiesComparing {
    fn new(target: &Target) -> Self {
        Self { report: target.firmware().description().report, reports: 0, stops: 0 }
    }
}

impl Meddling for DiesComparing {
    fn after_resume(&mut self, stop: Stop) -> Result<Stop, LinkError> {
        self.stops += 1;
        match self.stops {
            // The set-up, the first path, and the same path again; then with every record.
            4 => Err(LinkError::Died { peer: "the target".to_owned(), how: None, said: String::new() }),
            _ => Ok(stop),
        }
    }

    fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
        if address == self.report {
            self.reports += 1;
            if self.reports == 3 {
                let report = Report::mut_from_bytes(&mut bytes[..Report::BYTES]).expect("as long as it is");
                report.trace ^= 1;
            }
        }
    }
}

/// What is done to bytes that come back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Damage {
    /// Single bits of what is read.
    Bits,
    /// Whole words of what is read.
    Words,
    /// All that is read is zero.
    Zero,
    /// All that is read is one byte, over and over.
    Stuck,
    /// Lengths and numbers of reports.
    Lengths,
    /// What was read before comes again.
    Stale,
    /// Words of the target's mailbox, before it runs.
    Mailbox,
    /// Words of the target's RAM, before it runs.
    Memory,
}

const DAMAGES: [Damage; 8] = [
    Damage::Bits,
    Damage::Words,
    Damage::Zero,
    Damage::Stuck,
    Damage::Lengths,
    Damage::Stale,
    Damage::Mailbox,
    Damage::Memory,
];

/// Somebody who rolls dice.
struct Vandal {
    dice: Dice,
    damage: Damage,
    /// How many reads or runs to leave alone first.
    peace: u64,
    report: u32,
    stale: Vec<u8>,
}

impl Vandal {
    fn new(seed: u64, target: &Target) -> Self {
        let mut dice = Dice::new(seed);
        let damage = DAMAGES[dice.roll(DAMAGES.len() as u64) as usize];
        let peace = dice.roll(8);
        Self { dice, damage, peace, report: target.firmware().description().report, stale: Vec::new() }
    }

    /// Whether to do something now.
    fn strikes(&mut self) -> bool {
        self.peace = self.peace.saturating_sub(1);
        self.peace == 0 && self.dice.roll(3) > 0
    }
}

impl Meddling for Vandal {
    fn before_resume(&mut self, link: &mut dyn Link) -> Result<(), LinkError> {
        let region = match self.damage {
            Damage::Mailbox => 0x2000_C000..0x2001_0000_u64,
            Damage::Memory => 0x2000_0000..0x2000_C000,
            _ => return Ok(()),
        };
        if self.strikes() {
            // Much of the RAM is unused: it takes more to hit something there.
            let most = if self.damage == Damage::Memory { 256 } else { 8 };
            for _ in 0..1 + self.dice.roll(most) {
                let block = region.start / 32 + self.dice.roll((region.end - region.start) / 32);
                let noise: [u8; 32] = std::array::from_fn(|_| self.dice.roll(256) as u8);
                link.write((block * 32) as u32, &noise)?;
            }
        }
        Ok(())
    }

    fn after_read(&mut self, address: u32, bytes: &mut [u8]) {
        if bytes.is_empty() || matches!(self.damage, Damage::Mailbox | Damage::Memory) || !self.strikes() {
            self.stale = bytes.to_vec();
            return;
        }
        let dice = &mut self.dice;
        match self.damage {
            Damage::Bits => {
                for _ in 0..1 + dice.roll(4) {
                    let bit = dice.roll(bytes.len() as u64 * 8);
                    bytes[bit as usize / 8] ^= 1 << (bit % 8);
                }
            }
            Damage::Words => {
                let at = dice.roll(bytes.len() as u64) as usize / 4 * 4;
                bytes[at..].iter_mut().take(4).for_each(|byte| *byte = dice.roll(256) as u8);
            }
            Damage::Zero => bytes.fill(0),
            Damage::Stuck => bytes.fill(dice.roll(256) as u8),
            Damage::Lengths if address == self.report => {
                let report = Report::mut_from_bytes(&mut bytes[..Report::BYTES]).expect("as long as it is");
                match dice.roll(5) {
                    0 => report.filled = dice.roll(1 << 16) as u16,
                    1 => report.filled = dice.roll(10) as u16,
                    2 => report.creations = dice.roll(1 << 16) as u16,
                    3 => report.creations = dice.roll(10) as u16,
                    _ => report.transitions = dice.roll(1 << 32) as u32,
                }
            }
            Damage::Stale => bytes.iter_mut().zip(&self.stale).for_each(|(new, old)| *new = *old),
            Damage::Lengths | Damage::Mailbox | Damage::Memory => {}
        }
    }
}

#[test]
fn damage_drawn_by_lot_never_ends_in_a_panic_or_not_at_all() {
    let rounds = if std::env::var_os("FWVS_FULL").is_some() { 5_000 } else { 400 };
    let targets = [
        philosophers(),
        Target::example("ping-pong", &[("rounds", "2")]),
        Target::example("bounded-buffer", &[]),
    ];
    let mut qemus: Vec<Qemu> = targets.iter().map(Target::qemu).collect();
    let mut outcomes: BTreeMap<(Damage, &str), u32> = BTreeMap::new();
    for seed in 0..rounds {
        let place = seed as usize % targets.len();
        let (target, qemu) = (&targets[place], &mut qemus[place]);
        let vandal = Vandal::new(seed, target);
        let damage = vandal.damage;
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| explore_a_little(target, qemu, vandal)));
        let Ok(outcome) = outcome else { panic!("seed {seed}, {damage:?}: a panic") };
        assert!(begin.elapsed() < PATIENCE, "seed {seed}, {damage:?}: {:?}", begin.elapsed());
        if let Err(error) = &outcome {
            assert!(!error.to_string().is_empty());
        }
        if matches!(outcome, Err(Error::Link(_) | Error::KeepsDying { .. })) {
            qemu.respawn().expect("QEMU can be respawned").expect("it starts");
        }
        *outcomes.entry((damage, outcome.as_ref().map_or_else(name, |_| "no error"))).or_default() += 1;
    }
    println!("{outcomes:#?}");
    let errors: BTreeSet<&str> = outcomes.keys().map(|(_, outcome)| *outcome).collect();
    assert!(errors.len() > 10, "the lot is not varied enough: {errors:?}");
}
