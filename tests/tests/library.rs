//! Explorations by the library, without the program: a job is made, run, put aside, gone on with; and a study on top of that.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fwvs_run::checkpoint::FORMAT;
use fwvs_run::{Error, Job, Reason, Run, Stop, Until};
use fwvs_scenario::{FindingKind, RunDirectory, RunEvent, Summary, Verdict};
use fwvs_study::{Asked, Asking, Found, Standing, Study, Value};
use fwvs_tests::built;

const BOARD: &str = "qemu-lm3s6965";

fn job(example: &str) -> Job {
    Job::new(built::example(example), BOARD)
}

/// To the end, whatever is found.
fn everything() -> Until {
    Until { findings: Some(usize::MAX), ..Until::default() }
}

fn explore(run: Run) -> (Summary, Vec<RunEvent>) {
    let mut events = Vec::new();
    let summary = run.supervise(&Arc::new(Stop::default()), |event| events.push(event));
    (summary.expect("it comes to a verdict"), events)
}

fn new(job: Job, until: Until, out: &Path) -> Run {
    Run::new(job, until, Some(out.to_owned())).expect("it can be run")
}

#[test]
fn philosophers_are_explored_until_the_first_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let (summary, events) = explore(new(job("philosophers"), Until::default(), &folder.path().join("run")));
    assert_eq!((summary.verdict, summary.paths, summary.transitions), (Verdict::Found, 8, 81));
    let told: Vec<&RunEvent> =
        events.iter().filter(|event| !matches!(event, RunEvent::Progress(_))).collect();
    let [RunEvent::Started(started), RunEvent::Finding(finding), RunEvent::Summary(last)] = told[..] else {
        panic!("{told:?}");
    };
    assert_eq!((started.tasks.len(), started.reduction.as_str()), (4, "source"));
    assert_eq!((finding.kind, finding.steps.len()), (FindingKind::Deadlock, 4));
    assert_eq!(*last, summary);
    assert!(finding.scenario.as_ref().is_some_and(|path| path.is_file()));
}

#[test]
fn ping_pong_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let (summary, _) = explore(new(job("ping-pong"), Until::default(), &folder.path().join("run")));
    assert_eq!(summary.verdict, Verdict::Complete, "{summary:?}");
    assert!(summary.findings.is_empty() && summary.bounds_hit.is_empty());
}

#[test]
fn a_run_goes_on_from_its_checkpoint_as_if_it_had_not_been_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, _) = explore(new(job("philosophers"), everything(), &folder.path().join("whole")));
    let path = folder.path().join("run");
    let (part, _) = explore(new(job("philosophers"), Until { paths: Some(5), ..everything() }, &path));
    assert_eq!((part.paths, part.bounds_hit.len()), (5, 1), "{part:?}");
    let (rest, events) = explore(Run::resume(&path, Until::default()).expect("there is a checkpoint"));
    assert!(matches!(&events[0], RunEvent::Notice { message } if message == "going on after 5 paths"));
    let timeless = |summary: Summary| Summary { seconds: 0.0, findings: Vec::new(), ..summary };
    assert_eq!(rest.findings.len(), whole.findings.len());
    assert_eq!(timeless(rest), timeless(whole));
}

/// Whoever goes on with something else than was written could leave out anything.
#[test]
fn a_checkpoint_of_another_format_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    explore(new(job("philosophers"), Until { paths: Some(5), ..everything() }, &path));
    let checkpoint: serde_json::Value =
        RunDirectory::load_checkpoint(&path, FORMAT).expect("the run was stopped");
    for (format, age) in [(FORMAT - 1, "an older"), (FORMAT + 1, "a newer")] {
        let directory = RunDirectory::reopen(&path).expect("it is ours");
        directory.save_checkpoint(format, &checkpoint).expect("there is room");
        drop(directory);
        let refused = Run::resume(&path, Until::default()).err().expect("it is another format");
        let says = format!("was written by {age} version of fw-vs: it has format {format}, ");
        assert!(refused.to_string().contains(&says), "{refused}");
        assert!(refused.to_string().contains("\nhint: "), "{refused}");
    }
}

#[test]
fn whoever_holds_the_stop_ends_the_run_from_outside() {
    let folder = tempfile::tempdir().expect("a folder");
    let stop = Arc::new(Stop::default());
    let run = new(job("philosophers"), everything(), &folder.path().join("run"));
    stop.because(Reason::Terminated);
    let summary = run.supervise(&stop, |_| {}).expect("it comes to a verdict");
    assert_eq!(
        (summary.verdict, &*summary.bounds_hit),
        (Verdict::Bounded, &["ended by SIGTERM".to_owned()][..])
    );
    // The path at hand may come to its end.
    assert!(summary.paths <= 1, "{summary:?}");
}

#[test]
fn what_cannot_be_run_is_an_error_and_starts_nothing() {
    let unknown = Job { firmware: PathBuf::from("nowhere.elf"), ..job("philosophers") };
    assert!(matches!(Run::new(unknown, Until::default(), None).err(), Some(Error::Firmware(_))));
    let nowhere = Job { board: "no-such-board".to_owned(), ..job("philosophers") };
    assert!(matches!(Run::new(nowhere, Until::default(), None).err(), Some(Error::Board(_))));
}

#[test]
fn a_study_is_answered_without_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "example = \"philosophers\"\n[[question]]\nname = \"how many it takes\"\nkind = \"smallest\"\n\
                parameter = \"N\"\nfrom = 2\nto = 4\nexpect = 3\n\
                [[question]]\nname = \"in order\"\nkind = \"never\"\nset = { ordered = 1 }\nexpect = true\n";
    let study = Study::parse(text, Path::new("study.toml")).expect("it makes sense");
    let mut asking = Asking::new(folder.path().to_owned(), Arc::new(Stop::default()));
    let answers: Vec<(Found, Standing)> = study
        .questions
        .iter()
        .zip(1..)
        .map(|(question, number)| {
            let set = question.set.iter().map(|(name, value)| (name.clone(), value.to_string()));
            let job = Job { parameters: set.collect(), ..job("philosophers") };
            let asked = Asked { question, number, job, until: Until::default() };
            Asking::check(&asked).expect("it can be run");
            let answer = asking.answer(&asked, &mut |_, _| {});
            let standing = Standing::of(question, &answer);
            (answer.found, standing)
        })
        .collect();
    let [
        (Found::Value(Value::Number(2)), Standing::Differs),
        (Found::Value(Value::Truth(true)), Standing::AsExpected),
    ] = &answers[..]
    else {
        panic!("{answers:?}");
    };
    assert!(folder.path().join("1/N-2/scenario-1.json").is_file());
}
