//! Tasks that come and go, by a trace that is made by hand: no operation of firmware creates anything yet.

use fwvs_explore::Model as _;
use fwvs_kernel::{Boxed, Kernel, Misuse, Operation, Position, Rules, TaskId, Transition};
use fwvs_model::{Arrived, Change, Model, Name, Start, Trace};

const MAIN: TaskId = TaskId::setup(0);
const OTHER: TaskId = TaskId::setup(1);
const FREE: TaskId = TaskId::setup(2);

/// Two tasks that yield again and again, and room for one more.
fn start() -> Model<()> {
    let mut kernel = Kernel::new(Boxed::new(3, 0));
    kernel.set_rules(Rules::FREE);
    for task in [MAIN, OTHER] {
        assert_eq!(kernel.create_task(Position::PLAIN), Ok(task));
        kernel.arrive(task, Operation::yield_now()).expect("it needs no object");
    }
    Model::new(Start { kernel, calls: vec![0x10, 0x20], uses: Vec::new() })
}

/// The task goes on to an operation, which changes which tasks there are.
fn step(model: &mut Model<()>, task: TaskId, arrives: Operation, change: Change) -> Result<(), Misuse> {
    model.push(Transition { task, alternative: 0 }, Arrived::At(arrives, 0x30), 0)?;
    model.change(change)
}

fn created(at: Operation) -> Change {
    Change::Created { task: FREE, position: Position::PLAIN, at: (at, 0x40) }
}

/// Creates a task, which runs and ends, and another one that gets its slot.
fn twice(model: &mut Model<()>, creators: [TaskId; 2]) -> Trace<()> {
    let yields = Operation::yield_now();
    step(model, creators[0], yields, created(yields)).expect("there is room");
    step(model, FREE, Operation::exit(), Change::Nothing).expect("it is there");
    step(model, MAIN, yields, Change::Removed(FREE)).expect("it has ended");
    step(model, creators[1], yields, created(Operation::toss(1))).expect("the slot is free");
    step(model, FREE, Operation::exit(), Change::Nothing).expect("it is there");
    model.trace().clone()
}

fn in_slot(model: &Model<()>) -> Vec<Option<Name>> {
    (0..=model.length()).map(|at| model.name(at, FREE)).collect()
}

#[test]
fn a_slot_has_another_name_when_another_task_gets_it() {
    let mut model = start();
    twice(&mut model, [MAIN, MAIN]);
    let names = in_slot(&model);
    let (first, second) = (names[1].expect("it was created"), names[4].expect("it was created"));
    assert_ne!(first, second);
    assert_eq!(names, [None, Some(first), Some(first), None, Some(second), Some(second)]);
    assert_eq!(model.names().creation(first), (model.name(0, MAIN), 0));
    assert_eq!(model.names().creation(second), (model.name(0, MAIN), 1));
    // What is answered follows: nobody is there before it was created, nor after it was removed.
    let held = |at: usize| model.pending(at, 2).map(|event| event.operation);
    assert_eq!([held(0), held(3)], [None, None]);
    assert_eq!([held(1), held(4)], [Some(Operation::yield_now()), Some(Operation::toss(1))]);
    assert_eq!((model.tasks(), model.calls(4)[2]), (3, 0x40));
    let enabled = |at: usize| model.enabled(at).filter(|one| one.task == FREE).count();
    assert_eq!([0, 1, 2, 3, 4, 5].map(enabled), [0, 1, 0, 0, 2, 0]);
}

#[test]
fn names_are_the_same_on_every_path() {
    let mut model = start();
    let one = twice(&mut model, [MAIN, OTHER]);
    let names = in_slot(&model);
    model.back_to(0, &[]);
    let other = twice(&mut model, [OTHER, MAIN]);
    let swapped = in_slot(&model);
    assert_eq!(
        (swapped[1], swapped[4]),
        (names[4], names[1]),
        "by its creator, wherever it is and whenever it came"
    );
    assert_eq!(model.names().count(), 4);
    // A model that only follows comes to the same.
    let mut follower = start();
    for (trace, expected) in [(one, names), (other, swapped)] {
        follower.follow(trace).expect("it can be followed");
        assert_eq!(in_slot(&follower), expected);
    }
}

#[test]
fn what_cannot_be_is_a_contradiction() {
    let mut model = start();
    let good = twice(&mut model, [MAIN, MAIN]);
    for (at, change) in [
        (0, Change::Nothing),
        (2, Change::Removed(OTHER)),
        (3, Change::Created { task: OTHER, position: Position::PLAIN, at: (Operation::exit(), 0) }),
    ] {
        let mut bad = good.clone();
        bad.steps[at].change = change;
        assert!(start().follow(bad).is_err(), "{at}");
    }
    assert_eq!(start().follow(good), Ok(()));
}
