//! Fault status registers in words.

/// Bits of the configurable fault status register, as ARMv7-M numbers them.
const CAUSES: [(u32, &str); 13] = [
    (1 << 0, "instruction fetch from memory that must not be executed"),
    (1 << 1, "access to memory that is protected"),
    (1 << 4, "protected memory while an exception stacked its frame"),
    (1 << 8, "bus error on an instruction fetch"),
    (1 << 9, "bus error"),
    (1 << 10, "bus error some time before"),
    (1 << 12, "bus error while an exception stacked its frame"),
    (1 << 16, "undefined instruction"),
    (1 << 17, "jump to an address without the Thumb bit"),
    (1 << 18, "bad exception return"),
    (1 << 19, "floating point or coprocessor not enabled"),
    (1 << 24, "unaligned access"),
    (1 << 25, "division by zero"),
];

/// What happened, and at which address if that is known.
pub(crate) fn words(cfsr: u32, hfsr: u32, address: u32) -> String {
    let causes: Vec<&str> =
        CAUSES.iter().filter(|(bit, _)| cfsr & bit != 0).map(|(_, cause)| *cause).collect();
    let address_known = cfsr & (1 << 7 | 1 << 15) != 0;
    let mut text = if causes.is_empty() {
        format!("hard fault (HFSR {hfsr:#010x}, CFSR {cfsr:#010x})")
    } else {
        causes.join(", ")
    };
    if address_known {
        text.push_str(&format!(" at address {address:#010x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn an_undefined_instruction_is_called_by_its_name() {
        assert_eq!(words(1 << 16, 1 << 30, 0xdead_beef), "undefined instruction");
    }

    #[test]
    fn a_known_address_is_told() {
        assert_eq!(words(1 << 9 | 1 << 15, 1 << 30, 0x4000), "bus error at address 0x00004000");
    }

    #[test]
    fn an_unknown_cause_shows_the_registers() {
        assert_eq!(words(0, 1 << 1, 0), "hard fault (HFSR 0x00000002, CFSR 0x00000000)");
    }
}
