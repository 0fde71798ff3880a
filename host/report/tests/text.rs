//! What people see, to the letter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anstream::adapter::strip_str;
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{
    Declared, DeclaredKind, Fill, Finding, FindingKind, FindingSummary, Priority, Progress, RunEvent,
    Standing, Started, Step, Summary, Verdict, Waiting, Within,
};

fn printed(events: &[RunEvent], width: usize) -> String {
    let mut reporter = TextReporter::new(Vec::new(), width);
    events.iter().for_each(|event| reporter.event(event).expect("memory takes everything"));
    String::from_utf8(reporter.into_inner()).expect("reports are text")
}

fn colourless(event: RunEvent) -> String {
    strip_str(&printed(&[event], 80)).to_string()
}

fn step(task: &str, operation: &str, object: Option<&str>, place: &str) -> Step {
    Step {
        task: task.into(),
        operation: operation.into(),
        object: object.map(Into::into),
        place: Some(place.into()),
        ..Step::default()
    }
}

#[test]
fn a_table_of_tasks_has_priorities_where_there_are_some() {
    let mut finding = deadlock();
    finding.standing[0].priority = Some(Priority { own: 1, now: 3 });
    finding.standing[1].priority = Some(Priority { own: 3, now: 3 });
    let said = colourless(RunEvent::Finding(finding));
    let table = said.split("where each task stands").nth(1).expect("a table");
    let expected = "\
, with its priority
  philosopher 0  1, raised to 3  take fork 1  philosophers/src/main.rs:32
  philosopher 1  3               take fork 0  philosophers/src/main.rs:32
  waiter                         ended
";
    assert!(table.starts_with(expected), "{table}");
}

fn deadlock() -> Finding {
    let standing = |task: &str, waits: &str, place: Option<&str>| Standing {
        task: task.into(),
        waits: waits.into(),
        place: place.map(Into::into),
        ..Standing::default()
    };
    let toss =
        Step { alternative: Some(2), ..step("philosopher 1", "toss", None, "philosophers/src/main.rs:29") };
    let attempt = step("philosopher 1", "try to take", Some("fork 1"), "philosophers/src/main.rs:30");
    Finding {
        kind: FindingKind::Deadlock,
        message:
            "philosopher 0 waits for fork 1 held by philosopher 1; philosopher 1 waits for fork 0 held by \
                  philosopher 0"
                .into(),
        steps: vec![
            step("philosopher 0", "take", Some("fork 0"), "philosophers/src/main.rs:31"),
            toss,
            Step { outcome: Some("not served".into()), ..attempt },
            step("philosopher 1", "take", Some("fork 1"), "philosophers/src/main.rs:31"),
        ],
        standing: vec![
            standing("philosopher 0", "take fork 1", Some("philosophers/src/main.rs:32")),
            standing("philosopher 1", "take fork 0", Some("philosophers/src/main.rs:32")),
            standing("waiter", "ended", None),
        ],
        scenario: Some(PathBuf::from("fw-vs-runs/2026-03-01-120000-philosophers/scenario-1.json")),
        count: 1,
    }
}

fn summary(verdict: Verdict) -> Summary {
    Summary {
        verdict,
        paths: 104_704,
        transitions: 386_816,
        replayed_transitions: 1_234_567,
        sleep_blocked: 0,
        depth_cuts: 0,
        findings: Vec::new(),
        toss_sequences: 0,
        assumptions: Vec::new(),
        vacuous: Vec::new(),
        bounds_hit: Vec::new(),
        within: Vec::new(),
        waiting: Vec::new(),
        notes: Vec::new(),
        resume: None,
        seconds: 18.0,
        board: "qemu-lm3s6965".into(),
        firmware: "philosophers".into(),
        firmware_sha256: "00".repeat(32),
        schedule: "free".into(),
        time: "free".into(),
        reduction: "none".into(),
        workers: 1,
    }
}

#[test]
fn a_finding_shows_steps_standing_and_how_to_replay_it() {
    let expected = "\
deadlock: philosopher 0 waits for fork 1 held by philosopher 1; philosopher 1
  waits for fork 0 held by philosopher 0

     task           operation    object  result      source
  1  philosopher 0  take         fork 0              philosophers/src/main.rs:31
  2  philosopher 1  toss                 2           philosophers/src/main.rs:29
  3  philosopher 1  try to take  fork 1  not served  philosophers/src/main.rs:30
  4  philosopher 1  take         fork 1              philosophers/src/main.rs:31

  where each task stands
  philosopher 0  take fork 1  philosophers/src/main.rs:32
  philosopher 1  take fork 0  philosophers/src/main.rs:32
  waiter         ended

  fw-vs replay fw-vs-runs/2026-03-01-120000-philosophers/scenario-1.json

";
    let shown = colourless(RunEvent::Finding(deadlock()));
    assert_eq!(shown, expected);
    assert!(shown.lines().all(|line| line.chars().count() <= 80));
}

/// A sensor that waits for a queue with the bus locked, as it is found with a clock.
fn held_up() -> Finding {
    let place = "sensor/src/main.rs:31";
    let at = |tick, step: Step| Step { tick: Some(tick), ..step };
    let waits = |step: Step| Step { outcome: Some("waits".into()), stays: true, ..step };
    let fill = |level, step: Step| Step { fill: Some(Fill { level, most: Some(4) }), ..step };
    let delay = || step("sensor", "delay", None, place);
    let expired = Step { outcome: Some("time is up".into()), stays: true, ..delay() };
    let send = || step("sensor", "send", Some("log"), place);
    Finding {
        kind: FindingKind::Deadlock,
        message: "sensor waits for room in log; logger waits for i2c held by sensor".into(),
        steps: vec![
            at(0, waits(delay())),
            at(100, expired.clone()),
            at(100, delay()),
            at(100, step("sensor", "lock", Some("i2c"), place)),
            at(100, fill(4, send())),
            at(100, waits(delay())),
            at(100, fill(3, step("logger", "receive", Some("log"), "sensor/src/log.rs:9"))),
            at(200, expired),
            at(200, delay()),
            at(200, waits(fill(4, send()))),
        ],
        standing: vec![
            Standing {
                task: "sensor".into(),
                waits: "waits to send log".into(),
                fill: Some(Fill { level: 4, most: Some(4) }),
                holds: vec!["i2c".into(), "spi".into()],
                place: Some(place.into()),
                ..Standing::default()
            },
            Standing { task: "logger".into(), waits: "has ended".into(), ..Standing::default() },
        ],
        scenario: None,
        count: 1,
    }
}

#[test]
fn a_finding_shows_fill_levels_ticks_and_what_is_held_and_a_delay_is_one_row() {
    let expected = "\
deadlock: sensor waits for room in log; logger waits for i2c held by sensor

       tick  task    operation  object  result  source
  1-3   100  sensor  delay                      sensor/src/main.rs:31
    4   100  sensor  lock       i2c             sensor/src/main.rs:31
    5   100  sensor  send       log     4/4     sensor/src/main.rs:31
    6   100  sensor  delay              waits   sensor/src/main.rs:31
    7   100  logger  receive    log     3/4     sensor/src/log.rs:9
  8-9   200  sensor  delay                      sensor/src/main.rs:31
   10   200  sensor  send       log     waits   sensor/src/main.rs:31

  where each task stands
  sensor  waits to send log (4/4), holds i2c, spi  sensor/src/main.rs:31
  logger  has ended

";
    assert_eq!(colourless(RunEvent::Finding(held_up())), expected);
}

#[test]
fn tables_fit_and_keep_numbers_and_places_whole() {
    for width in [80, 120] {
        let shown = strip_str(&printed(&[RunEvent::Finding(held_up())], width)).to_string();
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= width), "{width}: {shown}");
        for whole in ["8-9", "200", "4/4", "sensor/src/main.rs:31"] {
            let word = |line: &str| line.split_whitespace().any(|word| word == whole);
            assert!(shown.lines().any(word), "{whole} at {width}: {shown}");
        }
    }
}

#[test]
fn columns_that_say_nothing_are_left_out() {
    let mut finding = deadlock();
    finding.steps = vec![step("main", "take", Some("lock"), ""), step("main", "take", Some("lock"), "")];
    finding.steps.iter_mut().for_each(|step| step.place = None);
    finding.standing.clear();
    finding.scenario = None;
    finding.message = "main waits for lock, which it holds itself".into();
    finding.count = 1200;
    let expected = "\
deadlock: main waits for lock, which it holds itself
  seen 1,200 times

     task  operation  object
  1  main  take       lock
  2  main  take       lock

";
    assert_eq!(colourless(RunEvent::Finding(finding)), expected);
}

#[test]
fn long_names_wrap_and_leave_source_lines_whole() {
    let mut finding = deadlock();
    let long = "the task that watches over the temperature of the second boiler";
    finding.steps =
        vec![step(long, "receive", Some("readings of the second boiler"), "boiler/src/main.rs:1031")];
    finding.standing.clear();
    let shown = colourless(RunEvent::Finding(finding));
    let table: Vec<&str> = shown.lines().filter(|line| !line.contains("fw-vs replay")).collect();
    assert!(table.iter().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.contains("boiler/src/main.rs:1031"), "{shown}");
    assert!(shown.contains("temperature"), "{shown}");
}

#[test]
fn where_space_is_short_lines_are_broken_between_words() {
    let place = "heart-beat-monitor/src/processor_b.rs:130";
    let toss = Step { alternative: Some(0), ..step("processor B", "toss", None, place) };
    let receive = step("processor B", "receive", Some("AtoB"), place);
    let text = colourless(RunEvent::Finding(Finding { steps: vec![receive, toss], ..deadlock() }));
    for whole in ["processor", "operation", "receive", "object", "result", place] {
        let word = |line: &str| line.split_whitespace().any(|word| word == whole);
        assert!(text.lines().any(word), "{whole} in {text}");
    }
}

#[test]
fn a_very_long_path_is_shown_without_its_middle() {
    let mut finding = deadlock();
    finding.steps = vec![step("main", "toss", None, "src/main.rs:7"); 1100];
    let shown = colourless(RunEvent::Finding(finding));
    assert!(shown.contains("\n    20  main"), "{shown}");
    assert!(shown.contains("… 1,020 more steps …"), "{shown}");
    assert!(!shown.contains("\n    21  main") && !shown.contains("\n  1040  main"), "{shown}");
    assert!(shown.contains("\n  1041  main") && shown.contains("\n  1100  main"), "{shown}");
}

#[test]
fn names_from_a_firmware_cannot_write_to_the_terminal() {
    let mut finding = deadlock();
    finding.message = "\x1b]0;owned\x07 done\nfw-vs replay nothing".into();
    finding.steps[0].task = "\x1b[2J".into();
    finding.standing[0].waits = "take\r".into();
    let shown = colourless(RunEvent::Finding(finding.clone()));
    let escapes = printed(&[RunEvent::Finding(finding)], 80).matches('\x1b').count();
    assert_eq!(escapes, printed(&[RunEvent::Finding(deadlock())], 80).matches('\x1b').count());
    assert!(shown.starts_with(r"deadlock: \u{1b}]0;owned\u{7} done\nfw-vs replay nothing"), "{shown}");
    assert!(shown.contains(r"\u{1b}[2J") && shown.contains(r"take\r"), "{shown}");
}

#[test]
fn complete_says_so_with_its_assumptions() {
    let mut complete = summary(Verdict::Complete);
    let plain = "\
complete: every path was explored, nothing was found
  104,704 paths, 386,816 transitions, 1,234,567 transitions replayed
  18.0 s, 5,817 paths/s, on qemu-lm3s6965
";
    assert_eq!(colourless(RunEvent::Summary(complete.clone())), plain);
    complete.assumptions =
        vec!["shared memory is protected by RTOS objects, or handed over by them, in every task".into()];
    complete.vacuous = vec!["task logger never ran".into()];
    complete.toss_sequences = 4;
    complete.notes = vec!["the search started over".into()];
    let expected = "\
complete: every path was explored, nothing was found, under these assumptions
  assuming: shared memory is protected by RTOS objects, or handed over by them,
    in every task
  never happened: task logger never ran
  note: the search started over
  104,704 paths, 386,816 transitions, 1,234,567 transitions replayed, 4 toss
    sequences
  18.0 s, 5,817 paths/s, on qemu-lm3s6965
";
    assert_eq!(colourless(RunEvent::Summary(complete)), expected);
}

fn until_tick_10() -> Within {
    Within { bound: "--until-tick 10".into(), lets: "up to tick 10".into(), reached: true, ended: 1_234 }
}

#[test]
fn complete_within_bounds_says_what_they_let_happen() {
    let mut within = summary(Verdict::CompleteWithinBounds);
    let held_back = Within { bound: "--expiries 2".into(), lets: "with two".into(), reached: true, ended: 0 };
    let unreached =
        Within { bound: "--interrupts 3".into(), lets: "with three".into(), reached: false, ended: 0 };
    within.within = vec![until_tick_10(), held_back, unreached];
    let expected = "\
complete within bounds: every behaviour up to tick 10, with two was explored,
  nothing was found
  within: --until-tick 10 ended 1,234 of 104,704 paths that could have gone on
  within: --expiries 2 held back what could have come on the way
  within: --interrupts 3 was never reached
  104,704 paths, 386,816 transitions, 1,234,567 transitions replayed
  18.0 s, 5,817 paths/s, on qemu-lm3s6965
";
    assert_eq!(colourless(RunEvent::Summary(within.clone())), expected);
    within.bounds_hit = vec!["--depth 1000 cut 12 paths".into()];
    let shown = colourless(RunEvent::Summary(within));
    assert!(shown.starts_with("bounded: nothing was found, but not everything was explored\n"), "{shown}");
}

#[test]
fn tasks_that_wait_for_each_other_are_in_the_headline_and_nothing_is_green() {
    let mut waits = summary(Verdict::CompleteWithinBounds);
    waits.within = vec![until_tick_10()];
    let waiting = |still: &[&str], paths| Waiting {
        message: "a waits for b; b waits for a".into(),
        tasks: vec!["a".into(), "b".into()],
        still: still.iter().map(|name| (*name).to_owned()).collect(),
        unseen: Vec::new(),
        never_seen: Vec::new(),
        paths,
        depth: 7,
        scenario: Some("run/scenario-1.json".into()),
    };
    waits.waiting = vec![waiting(&["tick (timer)", "uart (interrupt)"], 1_000)];
    let shown = colourless(RunEvent::Summary(waits.clone()));
    let expected = "\
complete within bounds: every behaviour up to tick 10 was explored, nothing was
  found, but 1,000 paths ended with tasks that nobody was seen to help
  waiting: at the end of 1,000 of 104,704 paths, a waits for b; b waits for a;
    only tick (timer), uart (interrupt) could still go on, and were never seen
    to help; whether they ever would was not looked into
    fw-vs replay run/scenario-1.json
";
    assert!(shown.starts_with(expected), "{shown}");
    let coloured = printed(&[RunEvent::Summary(waits.clone())], 80);
    assert!(coloured.contains("\x1b[33m") && !coloured.contains("\x1b[32m"), "{coloured:?}");
    waits.waiting = vec![waiting(&["tick (timer)"], 1)];
    let shown = colourless(RunEvent::Summary(waits.clone()));
    assert!(shown.contains("but 1 path ended with tasks") && shown.contains("was never seen"), "{shown}");
    // Tasks go on that may help yet: a line, in weaker words, and the headline is as it is without.
    let unseen = vec!["give done".to_owned(), "make room in samples".to_owned()];
    waits.waiting = vec![Waiting { unseen, ..waiting(&["lamp (task)"], 1_000) }];
    let shown = colourless(RunEvent::Summary(waits.clone()));
    let expected = "\
complete within bounds: every behaviour up to tick 10 was explored, nothing was
  found
  waiting: at the end of 1,000 of 104,704 paths, a waits for b; b waits for a;
    nobody was ever seen to give done or to make room in samples, and whether
    lamp (task) ever would was not looked into
    fw-vs replay run/scenario-1.json
";
    assert!(shown.starts_with(expected), "{shown}");
    assert!(printed(&[RunEvent::Summary(waits.clone())], 80).contains("\x1b[32m"));
    // So may a line that never fired.
    let button = "button (interrupt)";
    for (still, who) in [(&[button][..], "it"), (&[button, "tick (timer)"], button)] {
        waits.waiting = vec![Waiting { never_seen: vec![button.to_owned()], ..waiting(still, 3) }];
        let shown =
            colourless(RunEvent::Summary(waits.clone())).split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!(
            "only {} could still go on, and {who} never did on any path: nobody knows whether that would help",
            still.join(", ")
        );
        assert!(shown.contains("nothing was found waiting") && shown.contains(&expected), "{shown}");
    }
}

#[test]
fn bounded_says_what_cut_how_much() {
    let mut bounded = summary(Verdict::Bounded);
    bounded.depth_cuts = 12;
    bounded.bounds_hit = vec!["--depth 1000 cut 12 paths".into(), "--max-time 10m ended the search".into()];
    let expected = "\
bounded: nothing was found, but not everything was explored
  cut: --depth 1000 cut 12 paths
  cut: --max-time 10m ended the search
  104,704 paths, 386,816 transitions, 1,234,567 transitions replayed
  18.0 s, 5,817 paths/s, on qemu-lm3s6965
";
    assert_eq!(colourless(RunEvent::Summary(bounded)), expected);
}

#[test]
fn what_can_be_gone_on_with_says_how() {
    let mut bounded = summary(Verdict::Bounded);
    bounded.bounds_hit = vec!["interrupted by Ctrl-C".into()];
    bounded.resume = Some("fw-vs-runs/2026-11-19-022149-lock order".into());
    let last = "  to go on: fw-vs explore --resume 'fw-vs-runs/2026-11-19-022149-lock order'\n";
    assert!(colourless(RunEvent::Summary(bounded.clone())).ends_with(last));
    bounded.resume = None;
    assert!(!colourless(RunEvent::Summary(bounded)).contains("--resume"));
}

#[test]
fn not_finished_never_looks_like_safe() {
    let mut contradiction = summary(Verdict::Complete);
    contradiction.depth_cuts = 1;
    let shown = colourless(RunEvent::Summary(contradiction));
    assert!(shown.starts_with("bounded: nothing was found, but not everything was explored\n"), "{shown}");
    assert!(shown.contains("  cut: 1 path by the depth bound\n"), "{shown}");
    assert!(!shown.contains("complete"), "{shown}");
}

#[test]
fn found_counts_by_kind_and_says_what_was_left() {
    let mut found = summary(Verdict::Found);
    let mut crash = FindingSummary::from(&deadlock());
    crash.kind = FindingKind::Crash;
    found.findings = vec![crash, (&deadlock()).into(), (&deadlock()).into()];
    found.bounds_hit = vec!["--stop 3 ended the search".into()];
    let expected = "\
found: 3 findings (2 deadlock, 1 crash)
  not everything was explored: --stop 3 ended the search
  104,704 paths, 386,816 transitions, 1,234,567 transitions replayed
  18.0 s, 5,817 paths/s, on qemu-lm3s6965
";
    assert_eq!(colourless(RunEvent::Summary(found)), expected);
}

#[test]
fn a_run_begins_with_what_runs_where_and_how() {
    let started = Started {
        firmware: "philosophers".into(),
        firmware_sha256: "00".repeat(32),
        board: "qemu-lm3s6965".into(),
        schedule: "free".into(),
        time: "free".into(),
        reduction: "none".into(),
        depth: 1000,
        workers: 1,
        parameters: BTreeMap::from([("N".into(), 4.into())]),
        tasks: vec!["philosopher 0".into(); 4],
        objects: vec!["fork 0".into(), "spoon".into(), "knife".into(), "timer commands".into()],
        declared: [(DeclaredKind::Task, 4), (DeclaredKind::Semaphore, 1), (DeclaredKind::Mutex, 2)]
            .map(|(kind, number)| Declared { kind, number })
            .to_vec(),
        directory: None,
    };
    let expected = "\
philosophers on qemu-lm3s6965: 4 tasks, 1 semaphore, 2 mutexes, schedule free,
  reduction none, depth 1,000, N=4

";
    assert_eq!(colourless(RunEvent::Started(started)), expected);
}

#[test]
fn a_notice_is_a_note_and_progress_is_not_printed() {
    let notice = RunEvent::Notice { message: "the firmware was built again since".into() };
    assert_eq!(colourless(notice), "note: the firmware was built again since\n");
    assert_eq!(colourless(RunEvent::Progress(Progress::default())), "");
}

#[test]
fn colours_are_there_when_they_are_wanted() {
    let verdicts = [
        (Verdict::CompleteWithinBounds, "\x1b[32m"),
        (Verdict::Complete, "\x1b[32m"),
        (Verdict::Bounded, "\x1b[33m"),
        (Verdict::Found, "\x1b[31m"),
    ];
    for (verdict, colour) in verdicts {
        let shown = printed(&[RunEvent::Summary(summary(verdict))], 80);
        assert!(shown.starts_with("\x1b[1m") && shown.contains(colour), "{shown:?}");
        assert!(shown.contains("\x1b[0m"), "{shown:?}");
    }
    let shown = printed(&[RunEvent::Finding(deadlock())], 80);
    assert!(shown.starts_with("\x1b[1m\x1b[31mdeadlock\x1b[0m: philosopher 0"), "{shown:?}");
}

#[test]
fn json_is_one_object_a_line_and_the_summary_comes_last() {
    let notice = RunEvent::Notice { message: "two\nlines".into() };
    let events = [notice, RunEvent::Finding(deadlock()), RunEvent::Summary(summary(Verdict::Bounded))];
    let mut reporter = JsonReporter::new(Vec::new());
    events.iter().for_each(|event| reporter.event(event).expect("memory takes everything"));
    let text = String::from_utf8(reporter.into_inner()).expect("JSON is text");
    let read: Vec<RunEvent> =
        text.lines().map(|line| serde_json::from_str(line).expect("an event a line")).collect();
    assert_eq!(read, events);
    assert!(
        text.lines().last().is_some_and(|line| line.starts_with(r#"{"event":"summary","verdict":"bounded""#))
    );
}

#[test]
fn whoever_cannot_be_told_says_so() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let event = RunEvent::Summary(summary(Verdict::Complete));
    let kind = |result: std::io::Result<()>| result.expect_err("a closed pipe").kind();
    assert_eq!(kind(TextReporter::new(Closed, 80).event(&event)), std::io::ErrorKind::BrokenPipe);
    assert_eq!(kind(JsonReporter::new(Closed).event(&event)), std::io::ErrorKind::BrokenPipe);
}
