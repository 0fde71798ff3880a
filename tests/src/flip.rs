//! The dependency table with one entry left out: to see that the tests would notice.

use fwvs_kernel::{Operation, Verb, Wait};

/// An operation, as far as the dependency table tells operations apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "named as the operations are")]
pub enum Row {
    Take,
    TryTake,
    Give,
    Send,
    TrySend,
    Receive,
    TryReceive,
    Peek,
    TryPeek,
    Read,
    Write,
    /// Ends the path.
    Ends,
}

/// Which of the two forms of the table: the one that looks at the state, or the one for happens-before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the two forms")]
pub enum Form {
    InState,
    Always,
}

/// An entry that is taken for independent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    /// In which form of the table.
    pub form: Form,
    /// The two rows, in any order; for [`Row::Ends`] the other one does not matter.
    pub rows: (Row, Row),
}

impl Flip {
    /// Every entry that says that two operations may be dependent.
    pub fn all() -> Vec<Self> {
        let semaphore = [Row::Take, Row::TryTake, Row::Give];
        let queue = [Row::Send, Row::TrySend, Row::Receive, Row::TryReceive, Row::Peek, Row::TryPeek];
        let variable = [Row::Read, Row::Write];
        let mut pairs = vec![(Row::Ends, Row::Ends)];
        for rows in [&semaphore[..], &queue, &variable] {
            for (place, one) in rows.iter().enumerate() {
                pairs.extend(rows[place..].iter().map(|other| (*one, *other)));
            }
        }
        let reads = [Row::Peek, Row::TryPeek, Row::Read];
        pairs.retain(|(one, other)| !(reads.contains(one) && reads.contains(other)));
        let forms = [Form::InState, Form::Always];
        forms.iter().flat_map(|form| pairs.iter().map(|rows| Self { form: *form, rows: *rows })).collect()
    }

    /// Whether the entry is about these two operations.
    pub(crate) fn hits(self, form: Form, one: Operation, other: Operation) -> bool {
        let (Some(one), Some(other)) = (row(one), row(other)) else {
            return self.form == form && self.rows.0 == Row::Ends && (one.ends_path() || other.ends_path());
        };
        let ends = self.rows.0 == Row::Ends && (one == Row::Ends || other == Row::Ends);
        self.form == form && (ends || self.rows == (one, other) || self.rows == (other, one))
    }
}

fn row(operation: Operation) -> Option<Row> {
    let for_ever = operation.wait() == Wait::Forever;
    Some(match operation.verb {
        Verb::Take if for_ever => Row::Take,
        Verb::Take => Row::TryTake,
        Verb::Give => Row::Give,
        Verb::Send if for_ever => Row::Send,
        Verb::Send => Row::TrySend,
        Verb::Receive if for_ever => Row::Receive,
        Verb::Receive => Row::TryReceive,
        Verb::Peek if for_ever => Row::Peek,
        Verb::Peek => Row::TryPeek,
        Verb::Read => Row::Read,
        Verb::Write => Row::Write,
        Verb::Assert if operation.ends_path() => Row::Ends,
        _ => return None,
    })
}
