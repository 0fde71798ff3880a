//! Instructions and their bytes.

/// One object of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum ObjectSpec {
    /// A semaphore; a maximum of 255 stands for none.
    Semaphore { level: u8, max: u8 },
    /// A queue.
    Queue { capacity: u8 },
    /// A shared variable, initially 0.
    Shared,
    /// A mutex.
    Mutex { recursive: bool },
    /// A semaphore that is declared never to be full.
    NeverFullSemaphore { level: u8, max: u8 },
    /// A queue that is declared never to be full.
    NeverFullQueue { capacity: u8 },
}

/// What a list of instructions belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum RoleSpec {
    /// A task.
    Task { priority: u8 },
    /// A task that is a processor of its own.
    Environment,
    /// The handler of an interrupt line that fires at most so often, [`UNLIMITED`](crate::UNLIMITED) for as often as it may.
    Interrupt { times: u8, armed: bool },
    /// The callback of a timer.
    Timer { period: u8, reload: bool },
}

impl Default for RoleSpec {
    fn default() -> Self {
        Self::Task { priority: 0 }
    }
}

impl RoleSpec {
    /// As two bytes.
    pub fn encode(self) -> [u8; 2] {
        match self {
            Self::Task { priority } => [0, priority],
            Self::Environment => [1, 0],
            Self::Interrupt { times, armed: false } => [2, times],
            Self::Interrupt { times, armed: true } => [3, times],
            Self::Timer { period, reload: false } => [4, period],
            Self::Timer { period, reload: true } => [5, period],
        }
    }

    fn decode(bytes: [u8; 2]) -> Result<Self, Malformed> {
        match bytes {
            [0, priority] => Ok(Self::Task { priority }),
            [1, 0] => Ok(Self::Environment),
            [2, times] => Ok(Self::Interrupt { times, armed: false }),
            [3, times] => Ok(Self::Interrupt { times, armed: true }),
            [4, period] => Ok(Self::Timer { period, reload: false }),
            [5, period] => Ok(Self::Timer { period, reload: true }),
            _ => Err(Malformed),
        }
    }
}

/// What an assertion or a skip looks at: the task's register against a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    /// Equal.
    Is(u8),
    /// Not equal.
    IsNot(u8),
}

/// One step of a task. Every task has one register, which is 0 at first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Instruction {
    /// Takes a unit.
    Take { object: u8 },
    /// The register becomes 1 if a unit could be taken, else 0.
    TryTake { object: u8 },
    /// Gives a unit; the register becomes 1 if there was room.
    Give { object: u8 },
    /// Sends `value`, or the register plus `value`.
    Send { object: u8, value: u8, add: bool },
    /// As send; the register becomes 1 if there was room, else 0.
    TrySend { object: u8, value: u8, add: bool },
    /// The register becomes the message.
    Receive { object: u8 },
    /// The register becomes the message, or 0.
    TryReceive { object: u8 },
    /// As receive, and the message stays.
    Peek { object: u8 },
    /// As try-receive, and the message stays.
    TryPeek { object: u8 },
    /// The register becomes the variable.
    Read { object: u8 },
    /// The variable becomes `value`, or the register plus `value`.
    Write { object: u8, value: u8, add: bool },
    /// As take, for so many ticks at most, [`FOREVER`](crate::FOREVER) for as long as it takes; the register becomes 1 if a unit could be taken, else 0.
    TakeFor { object: u8, ticks: u8 },
    /// Sends `value`, for so many ticks at most; the register becomes 1 if there was room, else 0.
    SendFor { object: u8, value: u8, ticks: u8 },
    /// As receive, for so many ticks at most; the register becomes the message, or 0.
    ReceiveFor { object: u8, ticks: u8 },
    /// As receive, for so many ticks at most, and the message stays.
    PeekFor { object: u8, ticks: u8 },
    /// Locks a mutex.
    Lock { object: u8 },
    /// The register becomes 1 if the mutex could be locked, else 0.
    TryLock { object: u8 },
    /// The same, for so many ticks at most.
    LockFor { object: u8, ticks: u8 },
    /// Unlocks a mutex; the register becomes 1 if it was the task's own.
    Unlock { object: u8 },
    /// Waits.
    Delay { ticks: u8 },
    /// Waits until that tick; the register becomes 0 if it had passed, else 1.
    DelayUntil { tick: u8 },
    /// The register becomes the tick.
    Tick,
    /// Begins a critical section.
    EnterCritical,
    /// Ends one.
    ExitCritical,
    /// Lets others go first.
    Yield,
    /// Starts the timer whose callback is that list of instructions.
    StartTimer { list: u8 },
    /// Stops it.
    StopTimer { list: u8 },
    /// Gives it another period, and starts it.
    ChangePeriod { list: u8, period: u8 },
    /// The register becomes 1 if it is active, else 0.
    IsActive { list: u8 },
    /// Arms the interrupt line whose handler is that list of instructions.
    Arm { list: u8 },
    /// Masks it.
    Mask { list: u8 },
    /// The register becomes one of `0..=bound`.
    Toss { bound: u8 },
    /// Fails unless the test holds.
    Assert { test: Test },
    /// Announces the register.
    Event,
    /// Crashes. Invisible until it happens.
    Crash,
    /// Skips the next `count` instructions if the test holds. Invisible.
    SkipIf { test: Test, count: u8 },
}

/// Bytes that are not a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl ObjectSpec {
    /// As three bytes.
    pub fn encode(self) -> [u8; 3] {
        match self {
            Self::Semaphore { level, max } => [0, level, max],
            Self::Queue { capacity } => [1, 0, capacity],
            Self::Shared => [2, 0, 0],
            Self::Mutex { recursive } => [3, 0, u8::from(recursive)],
            Self::NeverFullSemaphore { level, max } => [4, level, max],
            Self::NeverFullQueue { capacity } => [5, 0, capacity],
        }
    }

    fn decode(bytes: [u8; 3]) -> Result<Self, Malformed> {
        match bytes {
            [0, level, max] => Ok(Self::Semaphore { level, max }),
            [1, 0, capacity] => Ok(Self::Queue { capacity }),
            [2, 0, 0] => Ok(Self::Shared),
            [3, 0, recursive @ (0 | 1)] => Ok(Self::Mutex { recursive: recursive == 1 }),
            [4, level, max] => Ok(Self::NeverFullSemaphore { level, max }),
            [5, 0, capacity] => Ok(Self::NeverFullQueue { capacity }),
            _ => Err(Malformed),
        }
    }
}

impl Instruction {
    /// As four bytes.
    pub fn encode(self) -> [u8; 4] {
        match self {
            Self::Take { object } => [1, object, 0, 0],
            Self::TryTake { object } => [2, object, 0, 0],
            Self::Give { object } => [3, object, 0, 0],
            Self::Send { object, value, add } => [4, object, value, u8::from(add)],
            Self::TrySend { object, value, add } => [5, object, value, u8::from(add)],
            Self::Receive { object } => [6, object, 0, 0],
            Self::TryReceive { object } => [7, object, 0, 0],
            Self::Peek { object } => [8, object, 0, 0],
            Self::TryPeek { object } => [9, object, 0, 0],
            Self::Read { object } => [10, object, 0, 0],
            Self::Write { object, value, add } => [11, object, value, u8::from(add)],
            Self::Toss { bound } => [12, bound, 0, 0],
            Self::Assert { test: Test::Is(value) } => [13, value, 0, 0],
            Self::Assert { test: Test::IsNot(value) } => [13, value, 1, 0],
            Self::Event => [14, 0, 0, 0],
            Self::Crash => [16, 0, 0, 0],
            Self::TakeFor { object, ticks } => [17, object, ticks, 0],
            Self::SendFor { object, value, ticks } => [18, object, value, ticks],
            Self::ReceiveFor { object, ticks } => [19, object, ticks, 0],
            Self::Lock { object } => [20, object, 0, 0],
            Self::TryLock { object } => [21, object, 0, 0],
            Self::LockFor { object, ticks } => [22, object, ticks, 0],
            Self::Unlock { object } => [23, object, 0, 0],
            Self::Delay { ticks } => [24, ticks, 0, 0],
            Self::DelayUntil { tick } => [25, tick, 0, 0],
            Self::Tick => [26, 0, 0, 0],
            Self::EnterCritical => [27, 0, 0, 0],
            Self::ExitCritical => [28, 0, 0, 0],
            Self::Yield => [29, 0, 0, 0],
            Self::StartTimer { list } => [30, list, 0, 0],
            Self::StopTimer { list } => [31, list, 0, 0],
            Self::IsActive { list } => [32, list, 0, 0],
            Self::Arm { list } => [33, list, 0, 0],
            Self::Mask { list } => [34, list, 0, 0],
            Self::ChangePeriod { list, period } => [35, list, period, 0],
            Self::PeekFor { object, ticks } => [36, object, ticks, 0],
            Self::SkipIf { test: Test::Is(value), count } => [15, value, 0, count],
            Self::SkipIf { test: Test::IsNot(value), count } => [15, value, 1, count],
        }
    }

    /// From four bytes.
    pub fn decode(bytes: [u8; 4]) -> Result<Self, Malformed> {
        let [code, object, value, last] = bytes;
        let test = if value == 0 { Test::Is(object) } else { Test::IsNot(object) };
        let add = last == 1;
        let instruction = match code {
            1 => Self::Take { object },
            2 => Self::TryTake { object },
            3 => Self::Give { object },
            4 => Self::Send { object, value, add },
            5 => Self::TrySend { object, value, add },
            6 => Self::Receive { object },
            7 => Self::TryReceive { object },
            8 => Self::Peek { object },
            9 => Self::TryPeek { object },
            10 => Self::Read { object },
            11 => Self::Write { object, value, add },
            12 => Self::Toss { bound: object },
            13 => Self::Assert { test },
            14 => Self::Event,
            16 => Self::Crash,
            17 => Self::TakeFor { object, ticks: value },
            18 => Self::SendFor { object, value, ticks: last },
            19 => Self::ReceiveFor { object, ticks: value },
            20 => Self::Lock { object },
            21 => Self::TryLock { object },
            22 => Self::LockFor { object, ticks: value },
            23 => Self::Unlock { object },
            24 => Self::Delay { ticks: object },
            25 => Self::DelayUntil { tick: object },
            26 => Self::Tick,
            27 => Self::EnterCritical,
            28 => Self::ExitCritical,
            29 => Self::Yield,
            30 => Self::StartTimer { list: object },
            31 => Self::StopTimer { list: object },
            32 => Self::IsActive { list: object },
            33 => Self::Arm { list: object },
            34 => Self::Mask { list: object },
            35 => Self::ChangePeriod { list: object, period: value },
            36 => Self::PeekFor { object, ticks: value },
            15 => Self::SkipIf { test, count: last },
            _ => return Err(Malformed),
        };
        if instruction.encode() == bytes { Ok(instruction) } else { Err(Malformed) }
    }
}

/// A list of instructions, and what it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct List<'a> {
    /// What it belongs to.
    pub role: RoleSpec,
    /// Its instructions.
    pub code: &'a [[u8; 4]],
}

/// Reads an encoded program front to back: objects, then tasks.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    objects: u8,
    tasks: u8,
}

impl<'a> Reader<'a> {
    /// At the beginning of a program.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Malformed> {
        match bytes {
            [objects, tasks, rest @ ..] => Ok(Self { bytes: rest, objects: *objects, tasks: *tasks }),
            _ => Err(Malformed),
        }
    }

    /// The next object, `None` after the last one.
    pub fn object(&mut self) -> Result<Option<ObjectSpec>, Malformed> {
        if self.objects == 0 {
            return Ok(None);
        }
        let (head, rest) = self.bytes.split_first_chunk().ok_or(Malformed)?;
        self.bytes = rest;
        self.objects -= 1;
        ObjectSpec::decode(*head).map(Some)
    }

    /// The next task, handler or callback and its instructions, four bytes each, `None` after the last one.
    pub fn task(&mut self) -> Result<Option<List<'a>>, Malformed> {
        if self.tasks == 0 {
            return Ok(None);
        }
        let ([role, argument, length], rest) = self.bytes.split_first_chunk().ok_or(Malformed)?;
        let role = RoleSpec::decode([*role, *argument])?;
        let (code, rest) = rest.split_at_checked(usize::from(*length) * 4).ok_or(Malformed)?;
        self.bytes = rest;
        self.tasks -= 1;
        Ok(Some(List { role, code: code.as_chunks().0 }))
    }
}
