//! The kernel by itself: a semaphore, a queue and a mutex, by what its users call. What operations mean is tested where whole
//! programs are run (`tests`); this says at once whether the crate still works.

use std::hash::{DefaultHasher, Hasher};

use fwvs_kernel::operation::{Argument, Waits};
use fwvs_kernel::{
    Full, Kernel, Kind, Misuse, NoBodies, Object, ObjectId, Operation, Position, Rules, Schedule, Status,
    Storage, Task, TaskId, Then, Transition, Verb, Wait,
};

/// Room for as many as the test makes.
#[derive(Clone, Default)]
struct Room {
    tasks: Vec<Task>,
    objects: Vec<Object>,
}

impl Storage for Room {
    fn tasks(&self) -> &[Task] {
        &self.tasks
    }
    fn tasks_mut(&mut self) -> &mut [Task] {
        &mut self.tasks
    }
    fn add_task(&mut self, task: Task) -> Result<(), Full> {
        self.tasks.push(task);
        Ok(())
    }
    fn objects(&self) -> &[Object] {
        &self.objects
    }
    fn objects_mut(&mut self) -> &mut [Object] {
        &mut self.objects
    }
    fn add_object(&mut self, object: Object) -> Result<(), Full> {
        self.objects.push(object);
        Ok(())
    }
}

/// Two tasks of these priorities and an object, under a schedule.
fn kernel(schedule: Schedule, priorities: [u8; 2], kind: Kind) -> (Kernel<Room>, [TaskId; 2], ObjectId) {
    let mut kernel = Kernel::new(Room::default());
    kernel.set_rules(Rules { schedule, ..Rules::FREE });
    let tasks = priorities
        .map(|priority| kernel.create_task(Position { priority, ..Position::PLAIN }).expect("there is room"));
    let object = kernel.create_object(kind, 0).expect("there is room");
    (kernel, tasks, object)
}

fn enabled(kernel: &Kernel<Room>) -> Vec<TaskId> {
    kernel.enabled().map(|transition| transition.task).collect()
}

/// What a task does once it has taken its operation, and whether that was served.
fn take(kernel: &mut Kernel<Room>, task: TaskId) -> (Then, bool) {
    let taken = kernel.take(Transition { task, alternative: 0 }, &mut NoBodies);
    (taken.then, taken.served)
}

fn hash(kernel: &Kernel<Room>) -> u64 {
    let mut hasher = DefaultHasher::new();
    kernel.hash_alike(&mut hasher);
    hasher.finish()
}

#[test]
fn a_take_is_enabled_by_a_give() {
    let (mut kernel, [taker, giver], semaphore) = kernel(Schedule::Free, [0, 0], Kind::Semaphore { max: 1 });
    kernel.arrive(taker, Operation::take(semaphore, Wait::Forever)).expect("a semaphore can be taken");
    kernel.arrive(giver, Operation::give(semaphore)).expect("a semaphore can be given");
    assert_eq!(enabled(&kernel), [giver]);
    assert_eq!(take(&mut kernel, giver), (Then::Runs, true));
    assert_eq!(enabled(&kernel), [taker]);
    kernel.arrive(giver, Operation::give(semaphore)).expect("a semaphore can be given");
    assert_eq!(take(&mut kernel, giver), (Then::Runs, false), "it is full");
    assert!(kernel.arrive(giver, Operation::send(semaphore, Wait::Never)).is_err(), "it is no queue");
    kernel.arrive(giver, Operation::exit()).expect("it needs no object");
    assert_eq!(take(&mut kernel, taker), (Then::Runs, true));
    kernel.arrive(taker, Operation::take(semaphore, Wait::Forever)).expect("a semaphore can be taken");
    assert_eq!(kernel.status(), Status::Deadlock);
}

#[test]
fn a_sender_wakes_the_receiver_that_stands_first_in_line() {
    let (mut kernel, [receiver, sender], queue) =
        kernel(Schedule::Priority, [2, 1], Kind::Queue { capacity: 1 });
    kernel.arrive(receiver, Operation::receive(queue, Wait::Forever)).expect("a queue can be received from");
    kernel.arrive(sender, Operation::send(queue, Wait::Forever)).expect("a queue can be sent to");
    assert_eq!(enabled(&kernel), [receiver], "the higher priority goes first");
    assert_eq!(take(&mut kernel, receiver), (Then::Waits, false));
    assert_eq!(enabled(&kernel), [sender]);
    assert_eq!(take(&mut kernel, sender), (Then::Preempted, true));
    assert_eq!(enabled(&kernel), [receiver]);
    assert_eq!(take(&mut kernel, receiver), (Then::Runs, true));
    assert_eq!(kernel.objects()[0].level, 0);
}

#[test]
fn a_mutex_lends_its_holder_a_priority() {
    let (mut kernel, [high, low], mutex) =
        kernel(Schedule::Priority, [2, 1], Kind::Mutex { recursive: false });
    kernel.arrive(high, Operation::delay(1)).expect("it needs no object");
    kernel.arrive(low, Operation::lock(mutex, Wait::Forever)).expect("a mutex can be locked");
    assert_eq!(take(&mut kernel, high), (Then::Waits, false));
    assert_eq!(take(&mut kernel, low), (Then::Runs, true));
    kernel.arrive(low, Operation::unlock(mutex)).expect("a mutex can be unlocked");
    assert_eq!(take(&mut kernel, high), (Then::Expired, false));
    assert_eq!(take(&mut kernel, high), (Then::Runs, true));
    kernel.arrive(high, Operation::lock(mutex, Wait::Forever)).expect("a mutex can be locked");
    assert_eq!(take(&mut kernel, high), (Then::Waits, false));
    let priority = |kernel: &Kernel<Room>| kernel.tasks()[1].priority;
    assert_eq!(priority(&kernel), 2);
    assert_eq!(take(&mut kernel, low), (Then::Preempted, true));
    assert_eq!(priority(&kernel), 1);
}

#[test]
fn alike_states_have_one_hash_whichever_way_they_were_reached() {
    let reached = |order: [usize; 2]| {
        let (mut kernel, tasks, first) = kernel(Schedule::Free, [0, 0], Kind::Semaphore { max: 1 });
        let second = kernel.create_object(Kind::Semaphore { max: 1 }, 0).expect("there is room");
        for (task, semaphore) in tasks.into_iter().zip([first, second]) {
            kernel.arrive(task, Operation::give(semaphore)).expect("a semaphore can be given");
        }
        for place in order {
            take(&mut kernel, tasks[place]);
        }
        kernel
    };
    let (one, other) = (reached([0, 1]), reached([1, 0]));
    assert_ne!(one.tasks(), other.tasks(), "they ran at other times");
    assert!(one.is_like(&other));
    assert_eq!(hash(&one), hash(&other));
    let (mut kernel, _, _) = kernel(Schedule::Free, [0, 0], Kind::Semaphore { max: 1 });
    kernel.create_object(Kind::Semaphore { max: 1 }, 0).expect("there is room");
    assert!(!one.is_like(&kernel));
    assert_ne!(hash(&one), hash(&kernel));
}

#[test]
fn a_row_of_the_table_says_what_its_constructor_makes() {
    let object = ObjectId::setup(3);
    let take = Operation::take(object, Wait::Ticks(7));
    assert_eq!(Operation::from_parts(Verb::Take, object, 0, Wait::Ticks(7)), Some(take));
    assert_eq!(Operation::from_parts(Verb::Take, object, 1, Wait::Ticks(7)), None, "it has no argument");
    assert_eq!((take.word(), take.object()), ("take in time", Some(object)));
    assert_eq!(Operation::toss(5).object(), None);
    assert_eq!(Operation::event(513, 7).name(), Some(513));
    assert_eq!(Operation::delay(u32::MAX).wait(), Wait::Ticks(u32::MAX - 1), "every delay ends");
    for verb in Verb::ALL {
        assert_eq!(Verb::from_code(*verb as u8), Some(*verb));
        assert!(verb.access().is_none_or(|access| access.access() == Some(access)), "{verb:?}");
        let waits = matches!(verb.waits(), Waits::AsLong | Waits::ForRoom);
        assert_eq!(verb.awaits().is_some(), waits || *verb == Verb::Serve, "{verb:?}");
        assert!(!waits || verb.argument() == Argument::Nothing, "a record has no room for both: {verb:?}");
    }
}

#[test]
fn a_slot_is_free_again_and_a_stale_handle_is_seen_until_it_is_reused() {
    let (mut kernel, [first, second], semaphore) = kernel(Schedule::Free, [0, 0], Kind::Semaphore { max: 1 });
    let fresh = kernel.clone();
    kernel.arrive(second, Operation::take(semaphore, Wait::Forever)).expect("a semaphore can be taken");
    assert_eq!(kernel.remove_task(second), Err(Misuse::InUse), "it goes on");
    assert_eq!(kernel.remove_object(semaphore), Err(Misuse::InUse), "a task is held at it");
    kernel.arrive(second, Operation::exit()).expect("it needs no object");
    assert_eq!((kernel.remove_task(second), kernel.remove_object(semaphore)), (Ok(()), Ok(())));

    assert_eq!(kernel.arrive(second, Operation::exit()), Err(Misuse::UnknownTask));
    assert_eq!(kernel.arrive(first, Operation::give(semaphore)), Err(Misuse::UnknownObject));
    assert_eq!((kernel.pending(second), enabled(&kernel)), (None, vec![]));
    kernel.arrive(first, Operation::exit()).expect("it needs no object");
    assert_eq!(kernel.status(), Status::Finished, "a free slot is nobody who could go on");

    let again = kernel.create_task(Position::PLAIN).expect("there is room");
    let queue = kernel.create_object(Kind::Queue { capacity: 1 }, 0).expect("there is room");
    assert_eq!((again, queue), (second, semaphore), "the slots are reused");
    assert_eq!(kernel.generation(1), 1);
    assert_eq!(kernel.arrive(again, Operation::give(semaphore)), Err(Misuse::WrongKind));
    kernel.arrive(again, Operation::send(queue, Wait::Forever)).expect("it is a queue now");
    assert_eq!(enabled(&kernel), [again]);

    // A loop that creates and removes comes back to where it was.
    let mut other = fresh.clone();
    other.arrive(second, Operation::exit()).expect("it needs no object");
    other.remove_task(second).expect("it has ended");
    assert!(!other.is_like(&fresh));
    other.create_task(Position::PLAIN).expect("there is room");
    assert!(other.is_like(&fresh));
}
