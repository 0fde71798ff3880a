//! Words for the kernel's operations.

use fwvs_kernel::{Operation, Wait};

/// What a task does, as a verb for the object that follows.
pub fn operation_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Take { wait: Wait::Forever, .. } => "take",
        Operation::Take { wait: Wait::Never, .. } => "try to take",
        Operation::Give { .. } => "give",
        Operation::Send { wait: Wait::Forever, .. } => "send",
        Operation::Send { wait: Wait::Never, .. } => "try to send",
        Operation::Receive { wait: Wait::Forever, .. } => "receive",
        Operation::Receive { wait: Wait::Never, .. } => "try to receive",
        Operation::Peek { wait: Wait::Forever, .. } => "peek",
        Operation::Peek { wait: Wait::Never, .. } => "try to peek",
        Operation::Read { .. } => "read",
        Operation::Write { .. } => "write",
        Operation::Toss { .. } => "toss",
        Operation::Assert { .. } => "assert",
        Operation::Event { .. } => "event",
        Operation::Exit => "exit",
    }
}

#[cfg(test)]
mod tests {
    use fwvs_kernel::{ObjectId, Operation, Wait};

    use super::operation_word;

    #[test]
    fn an_operation_that_does_not_wait_only_tries() {
        let queue = ObjectId::setup(0);
        let words = |wait| {
            [
                Operation::Take { semaphore: queue, wait },
                Operation::Send { queue, wait },
                Operation::Receive { queue, wait },
                Operation::Peek { queue, wait },
            ]
            .map(operation_word)
        };
        let waiting = words(Wait::Forever);
        assert_eq!(waiting, ["take", "send", "receive", "peek"]);
        assert_eq!(words(Wait::Never).map(String::from), waiting.map(|word| format!("try to {word}")));
    }
}
