//! The sentence for a deadlock: who waits for what, and for whom.

use serde::{Deserialize, Serialize};

use crate::finding::Priority;

/// What a task would do that cannot: in files the word for it, as steps have it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitsTo {
    /// Take a unit of a semaphore.
    Take,
    /// Lock a mutex.
    Lock,
    /// Receive a message from a queue.
    Receive,
    /// Look at the next message of a queue.
    Peek,
    /// Send a message to a queue.
    Send,
    /// Something else, in words.
    #[serde(untagged)]
    Other(String),
}

/// A task that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiter {
    /// Who.
    pub task: String,
    /// With which priority, where there are priorities.
    pub priority: Option<Priority>,
    /// At which operation.
    pub operation: WaitsTo,
    /// On what.
    pub object: String,
    /// Who would have to let it go, where one task can be named.
    pub held_by: Option<String>,
    /// Of a queue, who is at its other end, where one task can be named.
    pub other_end: Option<OtherEnd>,
}

/// The task at the other end of a queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OtherEnd {
    /// Who.
    pub task: String,
    /// Whether it did what it does for the last time, and is gone.
    pub has_ended: bool,
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
    let Waiter { task, priority, operation, object, held_by, other_end } = waiter;
    let who = priority.map_or(task.clone(), |priority| format!("{task} (priority {priority})"));
    let (waits, does, did) = match operation {
        WaitsTo::Take | WaitsTo::Lock => (format!("{who} waits for {object}"), "serves", "served"),
        WaitsTo::Receive | WaitsTo::Peek => {
            (format!("{who} waits for a message in {object}"), "fills", "filled")
        }
        WaitsTo::Send => (format!("{who} waits for room in {object}"), "empties", "emptied"),
        WaitsTo::Other(does) => (format!("{who} waits to {does} {object}"), "serves", "served"),
    };
    match (held_by, other_end) {
        (Some(holder), _) if holder == task => format!("{waits}, which it holds itself"),
        (Some(holder), _) => format!("{waits} held by {holder}"),
        (None, Some(other)) if other.task == *task => format!("{waits}, which it {does} itself"),
        (None, Some(OtherEnd { task, has_ended: true })) => {
            format!("{waits}, which {task} {did} until it ended")
        }
        (None, Some(other)) => format!("{waits}, which {} {does}", other.task),
        (None, None) => waits,
    }
}

#[cfg(test)]
mod tests {
    use super::{OtherEnd, Priority, Waiter, WaitsTo, deadlock_message};

    fn waiter(task: &str, operation: WaitsTo, object: &str, held_by: Option<&str>) -> Waiter {
        let text = |word: &str| word.to_owned();
        Waiter {
            task: text(task),
            priority: None,
            operation,
            object: text(object),
            held_by: held_by.map(text),
            other_end: None,
        }
    }

    #[test]
    fn a_cycle_names_who_holds_what() {
        let waiters = [
            waiter("philosopher 0", WaitsTo::Take, "fork 1", Some("philosopher 1")),
            waiter("philosopher 1", WaitsTo::Take, "fork 0", Some("philosopher 0")),
        ];
        let expected = "philosopher 0 waits for fork 1 held by philosopher 1; \
                        philosopher 1 waits for fork 0 held by philosopher 0";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn queues_are_waited_for_by_what_they_lack() {
        let waiters = [
            waiter("reader", WaitsTo::Receive, "inbox", None),
            waiter("watcher", WaitsTo::Peek, "inbox", None),
            waiter("writer", WaitsTo::Send, "outbox", None),
            waiter("main", WaitsTo::Take, "lock", Some("main")),
            waiter("main", WaitsTo::Other("start".into()), "blink", None),
        ];
        let expected = "reader waits for a message in inbox; watcher waits for a message in inbox; \
                        writer waits for room in outbox; main waits for lock, which it holds itself; \
                        main waits to start blink";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn priorities_are_said_where_there_are_some() {
        let mut waiters = [
            waiter("high", WaitsTo::Lock, "bus", Some("low")),
            waiter("low", WaitsTo::Lock, "flash", Some("high")),
        ];
        waiters[0].priority = Some(Priority { own: 3, now: 3 });
        waiters[1].priority = Some(Priority { own: 1, now: 3 });
        let expected = "high (priority 3) waits for bus held by low; \
                        low (priority 1, raised to 3) waits for flash held by high";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn a_queue_has_somebody_at_its_other_end() {
        let mut waiters = [
            waiter("writer", WaitsTo::Send, "inbox", None),
            waiter("reader", WaitsTo::Receive, "outbox", None),
            waiter("echo", WaitsTo::Send, "loop", None),
        ];
        let other = |task: &str| Some(OtherEnd { task: task.into(), has_ended: false });
        waiters[0].other_end = other("reader");
        waiters[1].other_end = other("writer");
        waiters[2].other_end = other("echo");
        let expected = "writer waits for room in inbox, which reader empties; \
                        reader waits for a message in outbox, which writer fills; \
                        echo waits for room in loop, which it empties itself";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn operations_are_written_as_words() {
        let words = r#"["take","lock","receive","peek","send","change the period of"]"#;
        let read: Vec<WaitsTo> = serde_json::from_str(words).expect("they are words");
        assert_eq!(read[..2], [WaitsTo::Take, WaitsTo::Lock]);
        assert_eq!(read[5], WaitsTo::Other("change the period of".into()));
        assert_eq!(serde_json::to_string(&read).expect("they are words"), words);
    }

    #[test]
    fn whoever_has_ended_fills_a_queue_no_more() {
        let mut waiters = [waiter("reader", WaitsTo::Receive, "inbox", None)];
        waiters[0].other_end = Some(OtherEnd { task: "writer".into(), has_ended: true });
        let expected = "reader waits for a message in inbox, which writer filled until it ended";
        assert_eq!(deadlock_message(&waiters), expected);
    }

    #[test]
    fn a_crowd_is_counted() {
        let waiters = vec![waiter("task", WaitsTo::Take, "lock", None); 10];
        assert!(deadlock_message(&waiters).ends_with("; task waits for lock; and 2 more tasks wait"));
        assert_eq!(deadlock_message(&[]), "no task can go on");
    }
}
