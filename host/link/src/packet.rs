//! Bytes of the GDB remote protocol: framing, checksums, escapes, run lengths, hexadecimal.
//!
//! Pure functions on byte slices. They never panic and never keep more than [`LIMIT`] bytes. Who
//! sends what, and when, is left to the conversation.

/// The longest packet that is accepted, before and after run lengths are expanded.
pub const LIMIT: usize = 0x1_0000;

/// One thing a server can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// `+`: the packet arrived.
    Acknowledged,
    /// `-`: the packet arrived damaged.
    Rejected,
    /// `$…#cc`: the body with a correct checksum, escapes and run lengths still in it.
    Packet(&'a [u8]),
    /// `%…#cc`: said without being asked. Nothing here needs one.
    Notification,
}

/// The outcome of looking at the bytes received so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// The first frame, if it is complete.
    pub frame: Option<Frame<'a>>,
    /// How many bytes are done with.
    pub used: usize,
}

/// Why bytes are not a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The sum over the body is not what the packet says.
    #[error("its checksum is {stated:02x}, its bytes sum up to {actual:02x}")]
    Checksum {
        /// What the packet says.
        stated: u8,
        /// What its bytes sum up to.
        actual: u8,
    },
    /// The two bytes behind `#` are not hexadecimal.
    #[error("its checksum is not hexadecimal: {0:02x?}")]
    Digits([u8; 2]),
    /// No end within [`LIMIT`] bytes.
    #[error("it is longer than {LIMIT} bytes")]
    TooLong,
    /// `*` with nothing to repeat, without a count, or with a count below its range.
    #[error("it has a run length that repeats nothing")]
    Run,
    /// `}` with nothing behind it.
    #[error("it ends inside an escape")]
    Escape,
}

/// The first frame in the bytes received so far. Noise in front of it is skipped.
pub fn next(bytes: &[u8]) -> Result<Step<'_>, Flaw> {
    let is_start = |byte: &u8| matches!(byte, b'$' | b'%' | b'+' | b'-');
    let Some(start) = bytes.iter().position(is_start) else {
        return Ok(Step { frame: None, used: bytes.len() });
    };
    let opening = bytes[start];
    let rest = &bytes[start + 1..];
    let single = match opening {
        b'+' => Some(Frame::Acknowledged),
        b'-' => Some(Frame::Rejected),
        _ => None,
    };
    if single.is_some() {
        return Ok(Step { frame: single, used: start + 1 });
    }
    let end = rest.iter().position(|&byte| byte == b'#');
    if end.unwrap_or(rest.len()) > LIMIT {
        return Err(Flaw::TooLong);
    }
    let incomplete = Step { frame: None, used: start };
    let Some(end) = end else {
        return Ok(incomplete);
    };
    let Some(&[high, low]) = rest.get(end + 1..end + 3) else {
        return Ok(incomplete);
    };
    let body = &rest[..end];
    let (Some(h), Some(l)) = (digit(high), digit(low)) else {
        return Err(Flaw::Digits([high, low]));
    };
    let (stated, actual) = (h << 4 | l, checksum(body));
    if stated != actual {
        return Err(Flaw::Checksum { stated, actual });
    }
    let frame = if opening == b'$' { Frame::Packet(body) } else { Frame::Notification };
    Ok(Step { frame: Some(frame), used: start + 1 + end + 3 })
}

/// The sum of all bytes, modulo 256.
pub fn checksum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, &byte| sum.wrapping_add(byte))
}

/// Whether a body has escapes or run lengths in it, so that [`expand`] would change it.
pub fn is_compressed(body: &[u8]) -> bool {
    body.iter().any(|&byte| byte == b'}' || byte == b'*')
}

/// Undoes escapes and run lengths. `into` is overwritten.
pub fn expand(body: &[u8], into: &mut Vec<u8>) -> Result<(), Flaw> {
    /// The count is a printable character: the number of further copies plus this.
    const COUNT_BIAS: u8 = 29;
    into.clear();
    let mut bytes = body.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'}' => into.push(bytes.next().ok_or(Flaw::Escape)? ^ 0x20),
            b'*' => {
                let &last = into.last().ok_or(Flaw::Run)?;
                let &count = bytes.next().ok_or(Flaw::Run)?;
                let copies = count.checked_sub(COUNT_BIAS).ok_or(Flaw::Run)?;
                into.resize(into.len() + usize::from(copies), last);
            }
            _ => into.push(byte),
        }
        if into.len() > LIMIT {
            return Err(Flaw::TooLong);
        }
    }
    Ok(())
}

/// Appends `$body#cc`, where `fill` appends the body. It must not append bytes that need escapes:
/// every request of ours is text and hexadecimal.
pub fn frame(output: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    output.push(b'$');
    let start = output.len();
    fill(output);
    let sum = checksum(&output[start..]);
    output.push(b'#');
    push_hex(output, &[sum]);
}

/// Appends bytes as two lower-case hexadecimal digits each.
pub fn push_hex(output: &mut Vec<u8>, bytes: &[u8]) {
    let start = output.len();
    output.resize(start + 2 * bytes.len(), 0);
    for (pair, &byte) in output[start..].chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&PAIRS[usize::from(byte)]);
    }
}

/// Appends a number in hexadecimal without leading zeros.
pub fn push_number(output: &mut Vec<u8>, number: u32) {
    let digits = (8 - number.leading_zeros() / 4).max(1);
    for position in (0..digits).rev() {
        output.push(DIGITS[(number >> (4 * position) & 0xF) as usize]);
    }
}

/// Reads two digits a byte into all of `bytes`. `None` if a digit is none, or the lengths differ.
pub fn read_hex(text: &[u8], bytes: &mut [u8]) -> Option<()> {
    if text.len() != 2 * bytes.len() {
        return None;
    }
    // A byte that is no digit is marked by a high bit; one look at the end is enough.
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let (high, low) = (VALUES[usize::from(pair[0])], VALUES[usize::from(pair[1])]);
        seen |= high | low;
        *byte = high << 4 | low & 0xF;
    }
    (seen & NO_DIGIT == 0).then_some(())
}

/// Reads a number of one to eight hexadecimal digits, with any zeros in front.
pub fn read_number(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    if text.starts_with('+') {
        return None;
    }
    u32::from_str_radix(text, 16).ok()
}

fn digit(character: u8) -> Option<u8> {
    let value = VALUES[usize::from(character)];
    (value != NO_DIGIT).then_some(value)
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";
const NO_DIGIT: u8 = 0x80;

const PAIRS: [[u8; 2]; 256] = {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 0xF]];
        byte += 1;
    }
    pairs
};

const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[DIGITS[value] as usize] = value as u8;
        values[DIGITS[value].to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        frame(&mut bytes, |output| output.extend_from_slice(body));
        bytes
    }

    fn expanded(body: &[u8]) -> Result<Vec<u8>, Flaw> {
        let mut bytes = Vec::new();
        expand(body, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn a_packet_is_found_behind_noise_and_its_bytes_are_used_up() {
        let step = next(b"xyz$OK#9a+").unwrap();
        assert_eq!(step, Step { frame: Some(Frame::Packet(b"OK")), used: 9 });
        assert_eq!(next(b"+$OK#9a").unwrap(), Step { frame: Some(Frame::Acknowledged), used: 1 });
        assert_eq!(next(b"-").unwrap(), Step { frame: Some(Frame::Rejected), used: 1 });
        assert_eq!(next(b"noise").unwrap(), Step { frame: None, used: 5 });
        assert_eq!(next(b"").unwrap(), Step { frame: None, used: 0 });
    }

    #[test]
    fn a_cut_packet_waits_for_the_rest() {
        let whole = b"!$OK#9a";
        for cut in 1..whole.len() {
            assert_eq!(next(&whole[..cut]).unwrap().frame, None, "{cut} bytes");
            assert_eq!(next(&whole[..cut]).unwrap().used, 1, "{cut} bytes");
        }
    }

    #[test]
    fn a_notification_is_no_packet() {
        let sum = checksum(b"Stop:T05");
        let text = format!("%Stop:T05#{sum:02x}");
        assert_eq!(next(text.as_bytes()).unwrap().frame, Some(Frame::Notification));
    }

    #[test]
    fn a_wrong_checksum_is_told_with_both_values() {
        assert_eq!(next(b"$OK#9b"), Err(Flaw::Checksum { stated: 0x9B, actual: 0x9A }));
        assert_eq!(next(b"$OK#9g"), Err(Flaw::Digits(*b"9g")));
    }

    #[test]
    fn a_packet_without_an_end_is_given_up_at_the_limit() {
        let mut bytes = vec![b'a'; LIMIT + 1];
        bytes[0] = b'$';
        assert_eq!(next(&bytes).unwrap().frame, None);
        bytes.push(b'a');
        assert_eq!(next(&bytes), Err(Flaw::TooLong));
    }

    #[test]
    fn escapes_and_run_lengths_are_undone() {
        assert_eq!(expanded(b"a}\x03b").unwrap(), b"a#b");
        assert_eq!(expanded(b"0* ").unwrap(), b"0000");
        assert_eq!(expanded(b"}\x0a*\"").unwrap(), b"******");
        assert_eq!(expanded(b"*!"), Err(Flaw::Run));
        assert_eq!(expanded(b"a*"), Err(Flaw::Run));
        assert_eq!(expanded(b"a*\x10"), Err(Flaw::Run));
        assert_eq!(expanded(b"a}"), Err(Flaw::Escape));
        assert!(is_compressed(b"0* ") && is_compressed(b"}a") && !is_compressed(b"T05"));
    }

    #[test]
    fn runs_do_not_grow_beyond_the_limit() {
        let bomb: Vec<u8> = [b"0".as_slice(), &b"*~".repeat(LIMIT)].concat();
        assert_eq!(expanded(&bomb), Err(Flaw::TooLong));
    }

    #[test]
    fn hexadecimal_goes_both_ways() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = Vec::new();
        push_hex(&mut text, &bytes);
        let mut back = [0; 256];
        read_hex(&text, &mut back).unwrap();
        assert_eq!(back.as_slice(), bytes);
        read_hex(&text.to_ascii_uppercase(), &mut back).unwrap();
        assert_eq!(back.as_slice(), bytes);
        assert_eq!(read_hex(b"0x", &mut [0]), None);
        assert_eq!(read_hex(b"x0", &mut [0]), None);
        assert_eq!(read_hex(b"0", &mut [0]), None);
        assert_eq!(read_hex(b"000", &mut [0]), None);
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        for (number, text) in [(0, "0"), (0x10, "10"), (0x2000_C000, "2000c000"), (u32::MAX, "ffffffff")] {
            let mut output = Vec::new();
            push_number(&mut output, number);
            assert_eq!(output, text.as_bytes());
            assert_eq!(read_number(&output), Some(number));
        }
        assert_eq!(read_number(b""), None);
        assert_eq!(read_number(b"+1"), None);
        assert_eq!(read_number(b"100000000"), None);
    }

    #[test]
    fn what_is_framed_is_found_again() {
        let bytes = framed(b"m20000000,4");
        assert_eq!(
            next(&bytes).unwrap(),
            Step { frame: Some(Frame::Packet(b"m20000000,4")), used: bytes.len() }
        );
    }
}
