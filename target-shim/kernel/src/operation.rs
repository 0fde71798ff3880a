//! The visible operations a task can be held at: one plain value for all of them, and one table that says what each is.
//!
//! A row of the table is a [`Verb`]: its code, the word for it, what it works on, what its argument says, whether it waits,
//! and as what a task declares it. Everything that lists operations is made from the rows. What an operation does to
//! its object is in the file of the kind of object; what it does to tasks (which may not wait, which inherit a priority, which are
//! preempted) is in `prospect`, `take` and `cpu`.

use crate::id::{ObjectId, Slot};

/// What a task does when the operation cannot be served at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// It is held until it can.
    Forever,
    /// It goes on with "not served".
    Never,
    /// It is held until it can, or for so many ticks, and then goes on with "not served".
    Ticks(u32),
}

impl Wait {
    /// So many ticks as an RTOS counts them: the longest time there is never ends.
    #[inline(always)]
    pub const fn for_ticks(ticks: u32) -> Self {
        match ticks {
            0 => Self::Never,
            u32::MAX => Self::Forever,
            ticks => Self::Ticks(ticks),
        }
    }

    /// The ticks that [`Wait::for_ticks`] makes this of.
    #[inline(always)]
    pub const fn ticks(self) -> u32 {
        match self {
            Self::Never => 0,
            Self::Forever => u32::MAX,
            Self::Ticks(ticks) => ticks,
        }
    }
}

/// What an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// Takers and givers of units.
    Semaphore,
    /// A queue of messages.
    Queue,
    /// A declared shared variable.
    Shared,
    /// A mutex.
    Mutex,
    /// A software timer.
    Timer,
    /// An interrupt line.
    Line,
    /// The timer daemon's commands.
    Commands,
    /// No object, but a text in the firmware's table of names.
    Text,
    /// Nothing.
    Nothing,
}

impl Subject {
    /// Whether it is an object.
    pub const fn is_object(self) -> bool {
        !matches!(self, Self::Text | Self::Nothing)
    }
}

/// What an operation's argument says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// It is 0.
    Nothing,
    /// Whether something holds: 0 or 1.
    Holds,
    /// The last of several alternatives, counted from 0; 16 bits.
    Bound,
    /// A number of ticks.
    Ticks,
    /// What tick it is to be.
    Tick,
    /// A timer's new period.
    Period,
    /// A value for whoever watches.
    Value,
}

/// Whether an operation waits if it cannot be served at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Waits {
    /// It does not.
    Never,
    /// For its object, for as long as its caller says.
    AsLong,
    /// For room among the timer daemon's commands, for as long as its caller says. Words do not tell.
    ForRoom,
    /// For as many ticks as its argument says.
    Argument,
    /// Without end.
    Forever,
}

/// The type of a constructor's parameter.
macro_rules! parameter {
    (object) => {
        ObjectId
    };
    (name) => {
        u16
    };
    (holds) => {
        bool
    };
    (bound) => {
        u16
    };
    (wait) => {
        Wait
    };
    ($number:ident) => {
        u32
    };
}

/// The operation with a constructor's parameter where it belongs.
macro_rules! with {
    ($operation:ident, $parameter:ident: object) => {
        Self { subject: $parameter, ..$operation }
    };
    ($operation:ident, $parameter:ident: name) => {
        Self { subject: text($parameter), ..$operation }
    };
    ($operation:ident, $parameter:ident: wait) => {
        Self { ticks: $parameter.ticks(), ..$operation }
    };
    ($operation:ident, $parameter:ident: ticks) => {
        Self { argument: $parameter, ticks: ends($parameter), ..$operation }
    };
    ($operation:ident, $parameter:ident: $number:ident) => {
        Self { argument: $parameter as u32, ..$operation }
    };
}

/// The place of a text, where other operations have an object.
const fn text(name: u16) -> ObjectId {
    let [mark, index] = name.to_le_bytes();
    ObjectId(Slot { mark, index })
}

/// A wait of so many ticks, which ends even if it is the longest there is.
const fn ends(ticks: u32) -> u32 {
    if ticks == u32::MAX { u32::MAX - 1 } else { ticks }
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $verb:ident = $code:literal, $word:literal, $subject:ident, $argument:ident, $waits:ident, $access:expr,
            $constructor:ident($($parameter:ident),*);
    )*) => {
        /// What is done. Those that work on an object come first: see [`Verb::FIRST_WITHOUT_OBJECT`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(u8)]
        pub enum Verb {
            $($(#[$doc])* $verb = $code,)*
        }

        impl Verb {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$verb),*];

            /// The one with that code.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$verb),)*
                    _ => None,
                }
            }

            /// What it works on.
            pub const fn subject(self) -> Subject {
                match self {
                    $(Self::$verb => Subject::$subject,)*
                }
            }

            /// What its argument says.
            pub const fn argument(self) -> Argument {
                match self {
                    $(Self::$verb => Argument::$argument,)*
                }
            }

            /// Whether it waits.
            pub const fn waits(self) -> Waits {
                match self {
                    $(Self::$verb => Waits::$waits,)*
                }
            }

            /// The word for it, and, of one that waits for its object, the words where it does not wait and where it does not
            /// wait for ever.
            const fn words(self) -> [&'static str; 3] {
                match self {
                    $(Self::$verb => [$word, concat!("try to ", $word), concat!($word, " in time")],)*
                }
            }

            /// What a task declares that does this: itself, or one that stands for several; `None` for what is not declared.
            pub const fn access(self) -> Option<Self> {
                match self {
                    $(Self::$verb => $access,)*
                }
            }
        }

        impl Operation {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub const fn $constructor($($parameter: parameter!($parameter)),*) -> Self {
                    let operation = Self::plain(Verb::$verb);
                    $(let operation = with!(operation, $parameter: $parameter);)*
                    operation
                }
            )*
        }
    };
}

use Verb as V;

operations! {
    // code, word, works on, argument, waits, declared as, constructor

    /// Takes one unit from a semaphore.
    Take = 1, "take", Semaphore, Nothing, AsLong, Some(V::Take), take(object, wait);
    /// Returns one unit; at the maximum nothing changes and the outcome is "not served".
    Give = 2, "give", Semaphore, Nothing, Never, Some(V::Give), give(object);
    /// Appends a message.
    Send = 3, "send", Queue, Nothing, AsLong, Some(V::Send), send(object, wait);
    /// Removes the oldest message.
    Receive = 4, "receive", Queue, Nothing, AsLong, Some(V::Receive), receive(object, wait);
    /// Copies the oldest message and leaves it there.
    Peek = 5, "peek", Queue, Nothing, AsLong, Some(V::Peek), peek(object, wait);
    /// Reads a declared shared variable.
    Read = 6, "read", Shared, Nothing, Never, Some(V::Read), read(object);
    /// Writes a declared shared variable.
    Write = 7, "write", Shared, Nothing, Never, Some(V::Write), write(object);
    /// Becomes the owner of a mutex.
    Lock = 8, "lock", Mutex, Nothing, AsLong, Some(V::Lock), lock(object, wait);
    /// Gives a mutex back.
    Unlock = 9, "unlock", Mutex, Nothing, Never, Some(V::Unlock), unlock(object);
    /// Commands a timer to expire a period from now, whether it runs or not.
    StartTimer = 10, "start", Timer, Nothing, ForRoom, Some(V::StartTimer), start_timer(object, wait);
    /// Commands a timer not to expire.
    StopTimer = 11, "stop", Timer, Nothing, ForRoom, Some(V::StartTimer), stop_timer(object, wait);
    /// Commands a timer as a start does.
    ResetTimer = 12, "reset", Timer, Nothing, ForRoom, Some(V::StartTimer), reset_timer(object, wait);
    /// Gives a timer another period, and starts it; does not wait for room for the command.
    ChangePeriod = 13, "change the period of", Timer, Period, Never, Some(V::StartTimer), change_period(object, period);
    /// Asks whether a timer runs.
    Active = 14, "ask for", Timer, Nothing, Never, Some(V::StartTimer), active(object);
    /// Lets an interrupt line fire.
    Arm = 15, "arm", Line, Nothing, Never, Some(V::Arm), arm(object);
    /// Keeps an interrupt line from firing.
    Mask = 16, "mask", Line, Nothing, Never, Some(V::Mask), mask(object);
    /// Where an interrupt handler waits: its line fires.
    Fire = 17, "fire", Line, Nothing, Never, None, fire(object);
    /// An interrupt handler is done.
    Return = 18, "return", Line, Nothing, Never, None, return_from(object);
    /// Where a timer waits: it expires.
    Expire = 19, "expire", Timer, Nothing, Never, None, expire(object);
    /// Where the timer daemon waits: it carries out a command, or the callback of a timer that has expired.
    Serve = 20, "serve", Commands, Nothing, Forever, None, serve(object);

    /// Waits for so many ticks; 0 lets others go first.
    Delay = 64, "delay", Nothing, Ticks, Argument, None, delay(ticks);
    /// Waits for a tick; "not served" if it has passed already.
    DelayUntil = 65, "delay", Nothing, Tick, Never, None, delay_until(tick);
    /// Asks what tick it is.
    Tick = 66, "read the tick", Nothing, Nothing, Never, Some(V::Tick), tick();
    /// Nobody else of the firmware goes on until the matching exit.
    EnterCritical = 67, "enter critical section", Nothing, Nothing, Never, Some(V::EnterCritical), enter_critical();
    /// Ends a critical section.
    ExitCritical = 68, "exit critical section", Nothing, Nothing, Never, None, exit_critical();
    /// Lets others of the same priority go first.
    Yield = 69, "yield", Nothing, Nothing, Never, None, yield_now();
    /// Where the clock waits: time passes until the next deadline, and everybody goes on whose deadline that is.
    Pass = 70, "reach", Nothing, Nothing, Never, None, pass();
    /// A task that has not begun yet begins.
    Start = 71, "start", Nothing, Nothing, Never, None, start();
    /// A task that was preempted inside an operation returns from it.
    Resume = 72, "resume", Nothing, Nothing, Never, None, resume();
    /// Chooses one of `0..=bound`; each is an alternative of its own.
    Toss = 73, "toss", Nothing, Bound, Never, None, toss(bound);
    /// Ends the path with a finding unless it holds; `name` is the place of its text in the table of names.
    Assert = 74, "check", Text, Holds, Never, None, assert(name, holds);
    /// Says something to whoever watches; `name` is a place in the firmware's table of names.
    Event = 75, "event", Text, Value, Never, None, event(name, value);
    /// The task has ended. In the free schedule never enabled, so never a transition.
    Exit = 76, "exit", Nothing, Nothing, Never, None, exit();
}

impl Verb {
    /// Operations with this code and above work on no object: that is found without asking which they are.
    pub const FIRST_WITHOUT_OBJECT: u8 = 64;

    /// Whether it works on an object.
    #[inline(always)]
    pub const fn has_object(self) -> bool {
        (self as u8) < Self::FIRST_WITHOUT_OBJECT
    }

    /// Whether it is a command for the timer daemon.
    #[inline(always)]
    pub const fn is_command(self) -> bool {
        matches!(self, Self::StartTimer | Self::StopTimer | Self::ResetTimer | Self::ChangePeriod)
    }
}

const _: () = {
    let mut place = 0;
    while place < Verb::ALL.len() {
        let verb = Verb::ALL[place];
        assert!(verb.subject().is_object() == verb.has_object());
        place += 1;
    }
};

/// One visible operation with every argument that is not a message body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Operation {
    /// What is done.
    pub verb: Verb,
    /// Details of how, as bits that the verb gives a meaning; no verb has any yet, so it is 0.
    pub options: u8,
    /// What it is done to: an object; or the place of a text, see [`Operation::name`]; or [`ObjectId::NULL`].
    pub subject: ObjectId,
    /// A number: [`Verb::argument`] says what it means.
    pub argument: u32,
    /// For how many ticks it waits if it cannot be served at once; 0 not at all, [`u32::MAX`] for ever.
    pub ticks: u32,
}

/// The target copies operations about: they stay small.
const _: () = assert!(size_of::<Operation>() == 12 && size_of::<Option<Operation>>() == 12);

impl Operation {
    /// An operation on nothing, without an argument.
    #[inline(always)]
    const fn plain(verb: Verb) -> Self {
        let ticks = if let Waits::Forever = verb.waits() { u32::MAX } else { 0 };
        Self { verb, options: 0, subject: ObjectId::NULL, argument: 0, ticks }
    }

    /// The operation of that verb, as it is written down: what it works on, its argument, and how long it waits. `None` if the
    /// verb cannot have such an argument, or does not wait so long.
    pub const fn from_parts(verb: Verb, subject: ObjectId, argument: u32, wait: Wait) -> Option<Self> {
        let mut operation = Self::plain(verb);
        if !matches!(verb.subject(), Subject::Nothing) {
            operation.subject = subject;
        }
        operation.argument = argument;
        let fits = match verb.argument() {
            Argument::Nothing => argument == 0,
            Argument::Holds => argument <= 1,
            Argument::Bound => argument <= u16::MAX as u32,
            Argument::Ticks | Argument::Tick | Argument::Period | Argument::Value => true,
        };
        match verb.waits() {
            Waits::AsLong | Waits::ForRoom => operation.ticks = wait.ticks(),
            Waits::Argument => operation.ticks = ends(argument),
            Waits::Never | Waits::Forever => {}
        }
        if fits { Some(operation) } else { None }
    }

    /// The object it works on, if any.
    #[inline(always)]
    pub const fn object(self) -> Option<ObjectId> {
        if self.verb.has_object() { Some(self.subject) } else { None }
    }

    /// The place of its text in the firmware's table of names, if it has one.
    pub const fn name(self) -> Option<u16> {
        let ObjectId(Slot { mark, index }) = self.subject;
        match self.verb.subject() {
            Subject::Text => Some(u16::from_le_bytes([mark, index])),
            _ => None,
        }
    }

    /// How long it waits if it cannot be served.
    #[inline(always)]
    pub const fn wait(self) -> Wait {
        Wait::for_ticks(self.ticks)
    }

    /// Whether it may come about by time passing.
    pub const fn waits_for_ticks(self) -> bool {
        matches!(self.wait(), Wait::Ticks(_)) || matches!(self.verb, Verb::DelayUntil | Verb::Expire)
    }

    /// Whether taking it ends the path with a finding.
    #[inline(always)]
    pub const fn ends_path(self) -> bool {
        matches!(self.verb, Verb::Assert) && self.argument == 0
    }

    /// The word for it, as findings have it.
    pub const fn word(self) -> &'static str {
        let [word, tries, in_time] = self.verb.words();
        match (self.verb.waits(), self.wait()) {
            (Waits::AsLong, Wait::Never) => tries,
            (Waits::AsLong, Wait::Ticks(_)) => in_time,
            _ => word,
        }
    }
}
