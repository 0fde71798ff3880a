//! Records, creations and stop codes: what is valid survives the way to the host, what is not is told, nothing panics.

use fwvs_kernel::operation::Argument;
use fwvs_kernel::{
    Kind, ObjectId, Operation, Position, Role, Schedule, Slot, TaskId, Transition, Verb, Wait,
};
use fwvs_path::{Policy, Precision, Waking};
use fwvs_search::Sleepers;
use fwvs_wire::record::LAST_PHASE;
use fwvs_wire::{Creation, Decision, Orders, Particulars, Record, StopCode, Use, What};
use proptest::prelude::*;
use zerocopy::{FromBytes, IntoBytes};

fn object() -> impl Strategy<Value = ObjectId> {
    any::<u8>().prop_map(ObjectId::setup)
}

fn wait() -> impl Strategy<Value = Wait> {
    let ticks = (1..u32::MAX, 0..32_u32).prop_map(|(ticks, shift)| Wait::Ticks((ticks >> shift).max(1)));
    prop_oneof![Just(Wait::Forever), Just(Wait::Never), ticks]
}

/// Every row of the table of operations.
fn operation() -> impl Strategy<Value = Operation> {
    let verb = proptest::sample::select(Verb::ALL);
    let subject = any::<(u8, u8)>().prop_map(|(mark, index)| ObjectId(Slot { mark, index }));
    let operation = |(verb, subject, argument, shift, wait): (Verb, _, u32, u32, _)| {
        let argument = match verb.argument() {
            Argument::Nothing => 0,
            Argument::Holds => argument & 1,
            Argument::Bound => argument & 0xffff,
            Argument::Ticks | Argument::Tick | Argument::Period | Argument::Value => argument >> shift,
        };
        Operation::from_parts(verb, subject, argument, wait)
            .expect("the argument is one that the verb can have")
    };
    (verb, subject, any::<u32>(), 0..32_u32, wait()).prop_map(operation)
}

fn transition() -> impl Strategy<Value = Transition> {
    (any::<u8>(), any::<u16>())
        .prop_map(|(task, alternative)| Transition { task: TaskId::setup(task), alternative })
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::Firmware),
        Just(Role::Environment),
        Just(Role::Daemon),
        Just(Role::Clock),
        object().prop_map(|line| Role::Interrupt { line }),
        object().prop_map(|timer| Role::Timer { timer }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        (role(), any::<u8>(), any::<bool>()).prop_map(|(role, priority, server)| What::Task(Position {
            role,
            priority,
            server
        })),
        (1..=u16::MAX, any::<bool>()).prop_map(|(max, never_full)| {
            let kind = Kind::Semaphore { max };
            What::Object(Particulars { level: max / 2, never_full, ..Particulars::new(kind) })
        }),
        (1..=u16::MAX).prop_map(|capacity| What::Object(Particulars::new(Kind::Queue { capacity }))),
        Just(What::Object(Particulars::new(Kind::Shared))),
        any::<bool>().prop_map(|recursive| What::Object(Particulars::new(Kind::Mutex { recursive }))),
        (any::<bool>(), any::<u32>()).prop_map(|(reload, period)| {
            What::Object(Particulars { period, ..Particulars::new(Kind::Timer { reload }) })
        }),
        (0..=u16::MAX, 0..=1_u16).prop_map(|(limit, level)| What::Object(Particulars {
            level,
            ..Particulars::new(Kind::Line { limit })
        })),
        (1..=u16::MAX).prop_map(|capacity| What::Object(Particulars::new(Kind::Commands { capacity }))),
        Just(What::Schedule(Schedule::Free)),
        Just(What::Schedule(Schedule::Priority)),
    ]
}

/// A complete record of that, and the word behind it.
fn record(transition: Transition, level: u16, served: bool, operation: Operation, pc: u32) -> (Record, u32) {
    let mut record = Record::taken(transition, level, served);
    let wide = record.arrived(operation, pc);
    assert_eq!(wide.is_some(), record.wide());
    (record, wide.unwrap_or(0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_says_what_it_was_told(
        transition in transition(), level: u16, served: bool, operation in operation(), pc: u32, phase: u8,
    ) {
        let half = Record::taken(transition, level, served);
        prop_assert!(!half.complete());
        let (mut record, wide) = record(transition, level, served, operation, pc);
        record.in_phase(phase);
        let read = Record::read_from_bytes(record.as_bytes()).expect("16 bytes");
        prop_assert_eq!(read, record);
        prop_assert!(read.complete());
        prop_assert_eq!((read.transition(), read.level, read.served(), read.pc), (transition, level, served, pc));
        prop_assert_eq!((read.operation(wide), read.phase()), (Ok(operation), phase.min(LAST_PHASE)));
    }

    #[test]
    fn a_changed_record_is_another_one_or_is_refused(
        transition in transition(), level: u16, operation in operation(), pc: u32,
        changes in proptest::collection::vec((0..Record::BYTES, any::<u8>()), 1..6), wide: u32,
    ) {
        let (mut record, _) = record(transition, level, true, operation, pc);
        for (place, byte) in changes {
            record.as_mut_bytes()[place] = byte;
        }
        if let Ok(operation) = record.operation(wide) {
            // What is read as an operation is written as the same bytes, but for what the operation does not use.
            let mut again = Record::taken(record.transition(), record.level, record.served());
            let more = again.arrived(operation, record.pc);
            prop_assert_eq!(again.operation(more.unwrap_or(0)), Ok(operation));
            prop_assert_eq!((again.operation, again.pc), (record.operation, record.pc));
        }
        let _ = (record.words(), record.digest(0, Some(wide)), record.digest(0, None));
    }

    #[test]
    fn any_16_bytes_are_read_without_a_panic(bytes: [u8; 16], wide: u32) {
        let record = Record::read_from_bytes(&bytes).expect("16 bytes");
        let (narrow, wide) = (record.operation(wide), record.operation(wide ^ 1));
        prop_assert!(record.wide() || narrow == wide, "a word that is not there makes no difference");
        let _ = Creation::read_from_bytes(&bytes).expect("16 bytes").what();
        let _ = Use::read_from_bytes(&bytes).expect("16 bytes").declared();
    }

    #[test]
    fn a_digest_changes_with_every_bit(
        transition in transition(), level: u16, operation in operation(), pc: u32, bit in 0..Record::BYTES * 8,
    ) {
        let (record, _) = record(transition, level, true, operation, pc);
        let mut changed = record;
        changed.as_mut_bytes()[bit / 8] ^= 1 << (bit % 8);
        prop_assert_ne!(record.digest(7, None), changed.digest(7, None));
    }

    #[test]
    fn a_creation_says_what_it_was_told(what in what(), change in any::<(u8, u8)>()) {
        let mut creation = Creation::new(what);
        prop_assert_eq!(creation.what(), Some(what));
        creation.as_mut_bytes()[usize::from(change.0) % Creation::BYTES] = change.1;
        if let Some(What::Object(Particulars { kind, level, .. })) = creation.what() {
            let sensible = match kind {
                Kind::Semaphore { max } => level <= max && max > 0,
                Kind::Queue { capacity } | Kind::Commands { capacity } => capacity > 0,
                Kind::Line { .. } => level <= 1,
                Kind::Shared | Kind::Mutex { .. } | Kind::Timer { .. } => true,
            };
            prop_assert!(sensible);
        }
    }

    #[test]
    fn a_stop_code_is_one_of_those_there_are(code: u32, small in 0..32_u32) {
        for code in [code, small] {
            let known = StopCode::ALL.iter().find(|known| **known as u32 == code).copied();
            prop_assert_eq!(StopCode::from_code(code), known);
        }
    }

    #[test]
    fn a_decision_is_the_transition_it_was_made_from(transition in transition()) {
        prop_assert_eq!(Transition::from(Decision::from(transition)), transition);
    }

    #[test]
    fn a_sleep_set_has_what_was_put_into_it(mut asleep in proptest::collection::vec((0..3_u8, 0..40_u16), 0..60)) {
        asleep.extend([(7, u16::MAX - 1), (7, u16::MAX), (8, 0)]);
        let transition = |(task, alternative)| Transition { task: TaskId::setup(task), alternative };
        let mut ascending: Vec<Transition> = asleep.into_iter().map(transition).collect();
        ascending.sort_unstable();
        let gathered: Vec<Sleepers> = Sleepers::gather(ascending.iter().copied()).collect();
        for task in 0..9 {
            for alternative in (0..42).chain([u16::MAX - 1, u16::MAX]) {
                let one = transition((task, alternative));
                let found = gathered.iter().filter(|sleepers| sleepers.contain(one)).count();
                prop_assert_eq!(found, usize::from(ascending.contains(&one)));
            }
        }
        for (one, next) in gathered.iter().zip(&gathered[1..]) {
            prop_assert!(one.task != next.task || one.last + 1 < next.first, "they could be one");
        }
        for sleepers in gathered {
            prop_assert_eq!(Decision::sleepers(Decision::pair(sleepers)), sleepers);
        }
    }

    #[test]
    fn orders_say_what_they_were_told(seed: u32, changes: u8, length: u16, depth: u32, bytes: [u8; Orders::BYTES]) {
        let policies = [
            Policy::Ask, Policy::Fair, Policy::First, Policy::Stay, Policy::Random { seed },
            Policy::Priorities { seed, changes, length },
        ];
        for policy in policies {
            for waking in [Waking::InState, Waking::Always] {
                let orders = Orders::new(policy, depth).waking(waking);
                prop_assert_eq!((orders.policy(), orders.depth), (Some(policy), depth));
            }
        }
        let precisions = [None, Some(Precision::Task), Some(Precision::State), Some(Precision::Runtime)];
        for precision in precisions {
            prop_assert_eq!(Orders::new(Policy::First, depth).keeping_to(precision).precision(), Ok(precision));
        }
        let any = Orders::read_from_bytes(&bytes).expect("as long as they are");
        let _ = any.policy();
        prop_assert_eq!(any.precision().is_ok(), any.footprints < 4);
    }
}
