//! The sentence for a deadlock: who waits for what, and who holds it.

/// A task that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    /// Who.
    pub task: String,
    /// At which operation: "take".
    pub operation: String,
    /// On what.
    pub object: Option<String>,
    /// Who would have to let it go, where one task can be named.
    pub held_by: Option<String>,
}

/// One sentence that names every waiting task, or the first of very many.
pub fn deadlock_message(waiters: &[Waiter]) -> String {
    const MOST: usize = 8;
    if waiters.is_empty() {
        return "no task can go on".into();
    }
    let mut parts: Vec<String> = waiters.iter().take(MOST).map(clause).collect();
    if waiters.len() > MOST {
        parts.push(format!("and {} more tasks wait", waiters.len() - MOST));
    }
    parts.join("; ")
}

fn clause(waiter: &Waiter) -> String {
    let Waiter { task, operation, object, held_by } = waiter;
    let waits = match (operation.as_str(), object) {
        ("take", Some(object)) => format!("{task} waits for {object}"),
        ("receive" | "peek", Some(object)) => format!("{task} waits for a message in {object}"),
        ("send", Some(object)) => format!("{task} waits for room in {object}"),
        (operation, Some(object)) => format!("{task} waits to {operation} {object}"),
        (operation, None) => format!("{task} waits to {operation}"),
    };
    match held_by {
        Some(holder) if holder == task => format!("{waits}, which it holds itself"),
        Some(holder) => format!("{waits} held by {holder}"),
        None => waits,
    }
}

#[cfg(test)]
mod tests {
    use super::{Waiter, deadlock_message};

    fn waiter(task: &str, operation: &str, object: Option<&str>, held_by: Option<&str>) -> Waiter {
        let text = |word: &str| word.to_owned();
        Waiter {
            task: text(task),
            operation: text(operation),
            object: object.map(text),
            held_by: held_by.map(text),
        }
    }

    #[test]
    fn a_cycle_names_who_holds_what() {
        let waiters = [
            waiter("philosopher 0", "take", Some("fork 1"), Some("philosopher 1")),
            waiter("philosopher 1", "take", Some("fork 0"), Some("philosopher 0")),
        ];
        let expected = "philosopher 0 waits for fork 1 held by philosopher 1; \
                        philosopher 1 waits for fork 0 held by philosopher 0";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn queues_are_waited_for_by_what_they_lack() {
        let waiters = [
            waiter("reader", "receive", Some("inbox"), None),
            waiter("watcher", "peek", Some("inbox"), None),
            waiter("writer", "send", Some("outbox"), None),
            waiter("main", "take", Some("lock"), Some("main")),
            waiter("timer", "sleep", None, None),
        ];
        let expected = "reader waits for a message in inbox; watcher waits for a message in inbox; \
                        writer waits for room in outbox; main waits for lock, which it holds itself; \
                        timer waits to sleep";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn a_crowd_is_counted() {
        let waiters = vec![waiter("task", "take", Some("lock"), None); 10];
        assert!(deadlock_message(&waiters).ends_with("; task waits for lock; and 2 more tasks wait"));
        assert_eq!(deadlock_message(&[]), "no task can go on");
    }
}
