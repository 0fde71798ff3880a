//! The text of the two linker scripts: `memory.x`, which `link.x` of `cortex-m-rt` includes, and `fwvs.x`, which adds
//! the sections of the shim to that layout.

use std::fmt::Write;

use fwvs_board::{Memory, Region};

/// The sections that the host reads from the ELF file. Their names are C identifiers, so that C firmware can reach
/// them through `__start_` and `__stop_` symbols as well.
const TABLES: [&str; 4] = ["fwvs_description", "fwvs_parameters", "fwvs_names", "fwvs_shared"];

/// A record has 16 bits for the place of a text.
const NAMES_FIT: &str = "ASSERT(SIZEOF(fwvs_names) <= 0x10000, \"\n\
    ERROR(fwvs): the texts of event! and check! have more than 64 KiB.\n\
    Write shorter ones, or assert! with what need not be visible.\");\n";

/// The memory regions of a board.
pub(crate) fn memory_x(memory: &Memory) -> String {
    let Memory { flash, ram, mailbox } = memory;
    let mut text = "/* Written by fwvs-build from the board file. */\nMEMORY\n{\n".to_owned();
    for (name, Region { origin, length }) in [("FLASH", flash), ("RAM", ram), ("MAILBOX", mailbox)] {
        writeln!(text, "  {name} : ORIGIN = {origin:#010X}, LENGTH = {length:#X}")
            .expect("a String takes everything");
    }
    text.push_str("}\n");
    text
}

/// The sections of the shim.
///
/// - The mailbox is not loaded: it has to survive a restart of the firmware, and no start-up code may clear it.
///   It has no `INSERT`, so it comes last: `link.x` takes the end of the stack from wherever RAM has got to before.
/// - The tables go to flash behind `.rodata`. The symbols around them are said here because a linker makes them up
///   only for sections that exist, and a firmware without parameters has none. `__stop_` marks the end of the
///   contents; the padding after it keeps the load address of `.data`, which follows, on a word boundary.
pub(crate) fn fwvs_x() -> String {
    let mut text = "/* Written by fwvs-build: the sections of the shim. */\n\
        SECTIONS\n\
        {\n\
        \x20 .fwvs_mailbox (NOLOAD) : ALIGN(1024)\n\
        \x20 {\n\
        \x20   KEEP(*(.fwvs_mailbox .fwvs_mailbox.*));\n\
        \x20 } > MAILBOX\n\
        }\n\
        \n\
        SECTIONS\n\
        {\n"
    .to_owned();
    for name in TABLES {
        write!(
            text,
            "  {name} : ALIGN(4)\n  {{\n    \
               PROVIDE(__start_{name} = .);\n    \
               KEEP(*({name}));\n    \
               PROVIDE(__stop_{name} = .);\n    \
               . = ALIGN(4);\n  \
             }} > FLASH\n"
        )
        .expect("a String takes everything");
    }
    text.push_str("}\nINSERT AFTER .rodata;\n\n");
    text.push_str(NAMES_FIT);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_x_gives_the_three_regions() {
        let memory = Memory {
            flash: Region { origin: 0, length: 0x4_0000 },
            ram: Region { origin: 0x2000_0000, length: 0xC000 },
            mailbox: Region { origin: 0x2000_C000, length: 0x4000 },
        };
        let expected = "\
/* Written by fwvs-build from the board file. */
MEMORY
{
  FLASH : ORIGIN = 0x00000000, LENGTH = 0x40000
  RAM : ORIGIN = 0x20000000, LENGTH = 0xC000
  MAILBOX : ORIGIN = 0x2000C000, LENGTH = 0x4000
}
";
        assert_eq!(memory_x(&memory), expected);
    }

    #[test]
    fn the_mailbox_is_kept_and_not_loaded() {
        let expected = "
  .fwvs_mailbox (NOLOAD) : ALIGN(1024)
  {
    KEEP(*(.fwvs_mailbox .fwvs_mailbox.*));
  } > MAILBOX
";
        assert!(fwvs_x().contains(expected), "{}", fwvs_x());
    }

    #[test]
    fn more_texts_than_a_record_can_name_do_not_link() {
        let script = fwvs_x();
        let (_, assertion) = script.split_once("INSERT AFTER .rodata;\n").unwrap();
        assert!(assertion.contains("ASSERT(SIZEOF(fwvs_names) <= 0x10000, \""), "{script}");
        assert!(assertion.contains("more than 64 KiB"), "{script}");
    }

    #[test]
    fn every_table_is_kept_in_flash_between_its_symbols() {
        for name in ["fwvs_description", "fwvs_parameters", "fwvs_names", "fwvs_shared"] {
            let expected = format!(
                "
  {name} : ALIGN(4)
  {{
    PROVIDE(__start_{name} = .);
    KEEP(*({name}));
    PROVIDE(__stop_{name} = .);
    . = ALIGN(4);
  }} > FLASH
"
            );
            assert!(fwvs_x().contains(&expected), "{}", fwvs_x());
        }
        assert!(fwvs_x().contains("}\nINSERT AFTER .rodata;\n"));
    }
}
