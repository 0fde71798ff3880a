//! The rules about what transitions touch beside tasks' plain objects, each of which can be left out: to see that the tests
//! would notice. The rows for semaphores, queues and variables are in `flip`.

use fwvs_kernel::dependence::Touches;
use fwvs_kernel::{Event, Operation, Verb};

/// What keeps two transitions from commuting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// One touches this, the other one that.
    Pair(Touches, Touches),
    /// One lets time pass only when nothing else can happen, or within a common horizon.
    Alone,
    /// One ends the path.
    Ends,
    /// Somebody waits in line for the object of both.
    Line,
    /// Without room or message the later one waits on the processor, or is wrong: a race, not an edge.
    Anyway,
    /// Both are of these kinds, on the same object.
    Rows(Row, Row),
}

/// Operations on objects that `flip` does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named as the operations are")]
pub enum Row {
    Lock,
    Unlock,
    Command,
    Active,
    Expire,
    /// Arms or masks a line.
    Switch,
    Fire,
}

const PAIRS: [(Touches, Touches); 9] = [
    (Touches::READY, Touches::CPU),
    (Touches::READY, Touches::READY),
    (Touches::EXPIRES, Touches::TICK),
    (Touches::EXPIRES, Touches::DEADLINE),
    (Touches::CRITICAL, Touches::OBEYS),
    (Touches::CRITICAL, Touches::SHUT_OUT),
    (Touches::TIMERS, Touches::TIMERS),
    (Touches::DAEMON, Touches::TIMER),
    (Touches::LEAVES, Touches::LINED),
];

const ROWS: [(Row, Row); 9] = [
    (Row::Lock, Row::Lock),
    (Row::Lock, Row::Unlock),
    (Row::Unlock, Row::Unlock),
    (Row::Command, Row::Command),
    (Row::Command, Row::Active),
    (Row::Command, Row::Expire),
    (Row::Active, Row::Expire),
    (Row::Switch, Row::Switch),
    (Row::Switch, Row::Fire),
];

fn meets(x: &Event, y: &Event, (one, other): (Touches, Touches)) -> bool {
    let (x, y) = (x.touches, y.touches);
    x.has(one) && y.has(other) || x.has(other) && y.has(one)
}

/// Whether something about the two keeps them apart, their objects and one rule aside.
fn kept_apart(x: &Event, y: &Event, but: Rule) -> bool {
    let alone = x.touches.has(Touches::ALONE) || y.touches.has(Touches::ALONE);
    but != Rule::Ends && (x.ends || y.ends)
        || but != Rule::Alone && alone
        || PAIRS.iter().any(|pair| but != Rule::Pair(pair.0, pair.1) && meets(x, y, *pair))
}

impl Rule {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let pairs = PAIRS.iter().map(|(one, other)| Self::Pair(*one, *other));
        let rows = ROWS.iter().map(|(one, other)| Self::Rows(*one, *other));
        pairs.chain([Self::Alone, Self::Ends, Self::Line, Self::Anyway]).chain(rows).collect()
    }

    /// Two events as they would be without the rule; `None` if nothing else keeps them apart.
    pub(crate) fn without(self, mut x: Event, mut y: Event) -> Option<(Event, Event)> {
        if let Self::Rows(one, other) = self {
            let rows = (row(x.operation), row(y.operation));
            let hit = rows == (Some(one), Some(other)) || rows == (Some(other), Some(one));
            let line = x.touches.has(Touches::LINE) || y.touches.has(Touches::LINE);
            let same = x.operation.object() == y.operation.object();
            return (!hit || !same || line || kept_apart(&x, &y, self)).then_some((x, y));
        }
        if kept_apart(&x, &y, self) {
            return Some((x, y));
        }
        // What is left is about their object alone.
        let left = match self {
            Self::Line => Touches::CPU.0 | Touches::INSISTS.0,
            Self::Anyway => Touches::LINE.0,
            _ => Touches::LINE.0 | Touches::CPU.0 | Touches::INSISTS.0,
        };
        (x.ends, y.ends) = (false, false);
        (x.touches.0, y.touches.0) = (x.touches.0 & left, y.touches.0 & left);
        Some((x, y))
    }
}

fn row(operation: Operation) -> Option<Row> {
    Some(match operation.verb {
        Verb::Lock => Row::Lock,
        Verb::Unlock => Row::Unlock,
        verb if verb.is_command() => Row::Command,
        Verb::Active => Row::Active,
        Verb::Expire => Row::Expire,
        Verb::Arm | Verb::Mask => Row::Switch,
        Verb::Fire => Row::Fire,
        _ => return None,
    })
}
