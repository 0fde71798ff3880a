//! Whether what the shim says about itself can be true.

use std::ops::Range;

use fwvs_wire::{Creation, Decision, Description, Incident, MAGIC, Orders, Record, Report, VERSION};
use zerocopy::FromBytes;

use crate::error::DescriptionFault as Fault;
use crate::segment::{overlap, range};

/// One stretch of memory that host and target share.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) name: String,
    pub(crate) range: Range<u64>,
}

/// A description, if these bytes are one and its capacities make sense.
pub(crate) fn read(bytes: &[u8]) -> Result<Description<u32>, Fault> {
    let length = Fault::Length { found: bytes.len(), expected: Description::<u32>::BYTES };
    let Ok((start, _)) = <[u32; 2]>::read_from_prefix(bytes) else { return Err(length) };
    let [magic, version] = start;
    if magic != MAGIC {
        return Err(Fault::Magic { found: magic });
    }
    if version != VERSION {
        return Err(Fault::Version { found: version });
    }
    let description = Description::<u32>::read_from_bytes(bytes).map_err(|_| length)?;
    // Counts in orders and reports are 16-bit; a task or an object is named by a byte, 255 stands for the set-up.
    let (wide, narrow) = (u32::from(u16::MAX), u32::from(u8::MAX));
    let capacities = [
        ("decisions", description.decisions, 1, wide),
        // A wide record takes two places.
        ("records", description.records, 2, wide),
        ("creations", description.creations, 1, wide),
        ("tasks", description.tasks, 1, narrow),
        ("objects", description.objects, 0, narrow),
    ];
    for (what, found, least, most) in capacities {
        if !(least..=most).contains(&found) {
            return Err(Fault::Capacity { what, found, least, most });
        }
    }
    Ok(description)
}

/// The mailbox's blocks, aligned and inside memory.
pub(crate) fn blocks(description: &Description<u32>) -> Result<Vec<Block>, Fault> {
    let list = |head: usize, count: u32, entry: usize| head as u64 + u64::from(count) * entry as u64;
    [
        ("doorbell", description.doorbell, 4),
        ("orders", description.orders, list(Orders::BYTES, description.decisions, size_of::<Decision>())),
        ("report", description.report, list(Report::BYTES, description.records, Record::BYTES)),
        ("set-up entries", description.setup, list(0, description.creations, Creation::BYTES)),
        ("incident", description.incident, Incident::BYTES as u64),
    ]
    .into_iter()
    .map(|(name, address, length)| block(name.into(), address, length))
    .collect()
}

/// A block of words.
pub(crate) fn block(name: String, address: u32, length: u64) -> Result<Block, Fault> {
    const ALIGNMENT: u32 = 4;
    if !address.is_multiple_of(ALIGNMENT) {
        return Err(Fault::Misaligned { block: name, address, alignment: ALIGNMENT });
    }
    let range = range(address, length);
    if range.end > 1 << 32 {
        return Err(Fault::PastTheEnd { block: name, address });
    }
    Ok(Block { name, range })
}

/// No two blocks share memory.
pub(crate) fn check_apart(blocks: &[Block]) -> Result<(), Fault> {
    let mut ordered: Vec<&Block> = blocks.iter().collect();
    ordered.sort_by_key(|block| block.range.start);
    for pair in ordered.windows(2) {
        let [first, second] = pair else { continue };
        if overlap(&first.range, &second.range) {
            return Err(Fault::Overlap {
                first: first.name.clone(),
                second: second.name.clone(),
                address: second.range.start as u32,
            });
        }
    }
    Ok(())
}
