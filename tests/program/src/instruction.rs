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
        }
    }

    fn decode(bytes: [u8; 3]) -> Result<Self, Malformed> {
        match bytes {
            [0, level, max] => Ok(Self::Semaphore { level, max }),
            [1, 0, capacity] => Ok(Self::Queue { capacity }),
            [2, 0, 0] => Ok(Self::Shared),
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
            15 => Self::SkipIf { test, count: last },
            _ => return Err(Malformed),
        };
        if instruction.encode() == bytes { Ok(instruction) } else { Err(Malformed) }
    }
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

    /// The next task's instructions, four bytes each, `None` after the last one.
    pub fn task(&mut self) -> Result<Option<&'a [[u8; 4]]>, Malformed> {
        if self.tasks == 0 {
            return Ok(None);
        }
        let (length, rest) = self.bytes.split_first().ok_or(Malformed)?;
        let (code, rest) = rest.split_at_checked(usize::from(*length) * 4).ok_or(Malformed)?;
        self.bytes = rest;
        self.tasks -= 1;
        Ok(Some(code.as_chunks().0))
    }
}
