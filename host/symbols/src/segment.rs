//! What is loaded where, and whether a board has room for it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One loadable part of the firmware.
#[derive(Clone)]
pub struct Segment {
    /// Where a loader puts it.
    pub address: u32,
    /// Where the program sees it; differs for initialised variables, which start-up code copies.
    pub run_address: u32,
    /// How much memory it has there; what lies beyond its bytes is zeroed by start-up code, or by nobody.
    pub memory_size: u32,
    image: Arc<[u8]>,
    bytes: Range<usize>,
}

impl Segment {
    /// `bytes` lies within `image`.
    pub(crate) fn new(
        address: u32,
        run_address: u32,
        memory_size: u32,
        image: Arc<[u8]>,
        bytes: Range<usize>,
    ) -> Self {
        assert!(bytes.end <= image.len() && bytes.start <= bytes.end, "a segment outside its file");
        Self { address, run_address, memory_size, image, bytes }
    }

    /// What is loaded; empty for memory that only has to be there.
    pub fn bytes(&self) -> &[u8] {
        &self.image[self.bytes.clone()]
    }

    /// Where a loader writes.
    pub(crate) fn load_range(&self) -> Range<u64> {
        range(self.address, self.bytes.len() as u64)
    }

    /// What the program uses.
    pub(crate) fn run_range(&self) -> Range<u64> {
        range(self.run_address, u64::from(self.memory_size))
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (load, run) = (self.load_range(), self.run_range());
        write!(
            formatter,
            "segment loaded {:#x}..{:#x} run {:#x}..{:#x}",
            load.start, load.end, run.start, run.end
        )
    }
}

/// The memory of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryMap {
    /// Where code is.
    pub flash: Range<u64>,
    /// Where variables are.
    pub ram: Range<u64>,
    /// Where host and target talk.
    pub mailbox: Range<u64>,
}

/// Wide enough that the end of memory is no special case.
pub(crate) fn range(address: u32, length: u64) -> Range<u64> {
    let start = u64::from(address);
    start..start + length
}

/// Whether all of `inner` is in `outer`.
pub(crate) fn within(inner: &Range<u64>, outer: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether they share a byte.
pub(crate) fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start.max(other.start) < one.end.min(other.end)
}
