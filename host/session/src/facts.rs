//! The numbers in a finding: how full objects are, who holds what, what tick it is, what the sides of a check were.

use fwvs_kernel::{Clock, Kernel, Kind, Object, ObjectId, Operation, Storage, TaskId, Verb};
use fwvs_scenario::Fill;
use fwvs_wire::value::{Known, Value};

use crate::scene::Scene;

impl Scene<'_> {
    /// How full the object of an operation is in state `at`: of a queue, and of a semaphore that is more than taken or given.
    pub(crate) fn fill(&self, at: usize, operation: Operation) -> Option<Fill> {
        let object = object(self.mirror().kernel(at), operation.object()?)?;
        let most = match object.kind {
            Kind::Queue { capacity } => Some(capacity),
            Kind::Semaphore { max: 1 } => return None,
            Kind::Semaphore { max: u16::MAX } => None,
            Kind::Semaphore { max } => Some(max),
            _ => return None,
        };
        Some(Fill { level: object.level, most })
    }

    /// Whether what happens on the last path has to do with what tick it is: with a free clock only if somebody asks for it.
    pub(crate) fn time_matters(&self) -> bool {
        let asks = |step: &crate::mirror::Step| step.taken.operation.verb == Verb::Tick;
        let last = self.mirror().last();
        last.rules().clock != Clock::Free && last.now() > 0 || self.mirror().steps().iter().any(asks)
    }

    /// What the task holds at the end of the last path: mutexes, and binary semaphores that begin with their unit, as locks do.
    /// Whoever takes from a counting semaphore need not give back.
    pub(crate) fn holds(&self, task: TaskId) -> Vec<String> {
        let begins = self.roster().kernel();
        let holds = |held: &&Object| match held.kind {
            Kind::Mutex { .. } => held.owner == Some(task),
            Kind::Semaphore { max: 1 } => {
                let lock = object(begins, held.id).is_some_and(|object| object.level == 1);
                lock && self.holder(held.id) == Some(task)
            }
            _ => false,
        };
        let held = self.mirror().last().objects().iter().filter(holds);
        held.map(|object| self.roster().object(object.id).to_owned()).collect()
    }
}

fn object<S: Storage>(kernel: &Kernel<S>, object: ObjectId) -> Option<&Object> {
    Some(&kernel.objects()[kernel.object_place(object)?])
}

/// " (left 3, right 7)", as much of it as is known.
pub(crate) fn sides(sides: &[Value; 2]) -> String {
    let side = |(name, value): (&str, &Value)| Some(format!("{name} {}", text(*value)?));
    let known: Vec<String> = ["left", "right"].into_iter().zip(sides).filter_map(side).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
}

/// A value as Rust writes it.
fn text(value: Value) -> Option<String> {
    /// Nobody has more options in each other; more than that is no sense.
    const MOST_OPTIONS: u32 = 4;
    let (known, options) = value.known().filter(|(_, options)| *options <= MOST_OPTIONS)?;
    let bare = match known {
        Known::Unsigned(number) => number.to_string(),
        Known::Signed(number) => number.to_string(),
        Known::Bool(truth) => truth.to_string(),
        Known::Letter(letter) => format!("{letter:?}"),
        Known::Single(number) => format!("{number:?}"),
        Known::Double(number) => format!("{number:?}"),
        Known::Nothing => "None".to_owned(),
    };
    Some((0..options).fold(bare, |inner, _| format!("Some({inner})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_as_rust_writes_them() {
        let said = |left, right| sides(&[Value::new(left), Value::new(right)]);
        assert_eq!(said(Known::Unsigned(3), Known::Signed(-7)), " (left 3, right -7)");
        assert_eq!(said(Known::Unsigned(u64::MAX), Known::Signed(i64::MIN)), {
            " (left 18446744073709551615, right -9223372036854775808)"
        });
        assert_eq!(said(Known::Bool(true), Known::Letter('\n')), r" (left true, right '\n')");
        assert_eq!(said(Known::Single(200.5), Known::Double(f64::NAN)), " (left 200.5, right NaN)");
        let seven = Value::new(Known::Unsigned(7)).in_some();
        assert_eq!(sides(&[Value::new(Known::Nothing), seven]), " (left None, right Some(7))");
        assert_eq!(text(seven.in_some()).as_deref(), Some("Some(Some(7))"));
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let seven = Value::new(Known::Unsigned(7));
        assert_eq!(sides(&[Value::UNKNOWN, seven]), " (right 7)");
        assert_eq!(sides(&[Value::UNKNOWN, Value::UNKNOWN.in_some()]), "");
    }

    #[test]
    fn what_makes_no_sense_is_not_known() {
        use zerocopy::FromBytes;
        let value = |words: [u32; 3]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            Value::read_from_bytes(&bytes).expect("twelve bytes")
        };
        for words in
            [[8, 0, 0], [3, 2, 0], [4, 0xd800, 0], [4, 65, 1], [5, 0, 1], [7, 1, 0], [u32::MAX, 0, 0]]
        {
            assert_eq!(text(value(words)), None, "{words:?}");
        }
        assert_eq!(text(value([1 | 5 << 8, 0, 0])), None, "too many options");
        assert_eq!(text(value([1 | 4 << 8, 0, 0])).as_deref(), Some("Some(Some(Some(Some(0))))"));
    }
}
