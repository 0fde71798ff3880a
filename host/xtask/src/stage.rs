//! Work that takes minutes and says nothing by itself: what is being done, and that it still is.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What is done sooner needs no word.
const SOON: Duration = Duration::from_secs(1);
/// How long nobody has to wait for a sign of life.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does the work, and says on standard error what it is once it takes longer than a moment, and again every ten seconds.
pub(crate) fn stage<T>(what: &str, work: impl FnOnce() -> T) -> T {
    aloud(what, [SOON, PATIENCE], &|line| eprintln!("{line}"), work)
}

fn aloud<T>(
    what: &str,
    [soon, patience]: [Duration; 2],
    say: &(impl Fn(String) + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let (done, wait) = mpsc::channel::<()>();
    let begin = Instant::now();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = soon;
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                say(match pause == soon {
                    true => format!("xtask: {what}"),
                    false => format!("xtask: still {what}, for {} s now", begin.elapsed().as_secs()),
                });
                pause = patience;
            }
        });
        // Dropped whatever comes of the work: then nobody waits any more.
        let _done = done;
        work()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn lines(soon: Duration, patience: Duration, work: impl FnOnce(&dyn Fn() -> usize)) -> Vec<String> {
        let said = Mutex::new(Vec::new());
        let say = |line| said.lock().unwrap().push(line);
        aloud("building it", [soon, patience], &say, || work(&|| said.lock().unwrap().len()));
        said.into_inner().unwrap()
    }

    #[test]
    fn long_work_is_named_and_shows_that_it_goes_on() {
        let moment = Duration::from_millis(5);
        let said = lines(moment, moment * 2, |heard| {
            while heard() < 3 {
                thread::sleep(moment);
            }
        });
        assert_eq!(said[0], "xtask: building it");
        assert!(said[1..].iter().all(|line| line.starts_with("xtask: still building it, for ")), "{said:?}");
    }

    #[test]
    fn short_work_needs_no_word() {
        let long = Duration::from_secs(3600);
        assert_eq!(lines(long, long, |_| {}), <[&str; 0]>::default());
    }
}
