//! What a reply means. Pure functions on the bodies of packets.

use crate::packet;

/// What became of a request that has no result of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer<'a> {
    Accepted,
    /// `E…`, with what follows the letter.
    Refused(&'a [u8]),
    /// An empty reply.
    Unsupported,
    /// Text for the user on the way to the answer.
    Output,
    Something,
}

/// Reads a reply as an answer.
pub(crate) fn answer(body: &[u8]) -> Answer<'_> {
    match body {
        b"OK" => Answer::Accepted,
        [] => Answer::Unsupported,
        // Hexadecimal data has an even number of digits: E01 is none.
        [b'E', code @ ..] if code.len().is_multiple_of(2) || code.starts_with(b".") => Answer::Refused(code),
        [b'O', ..] => Answer::Output,
        _ => Answer::Something,
    }
}

/// A reply that tells about the core.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The core stopped.
    Stopped {
        signal: u8,
        /// The address of the write watchpoint that was hit.
        watch: Option<u32>,
    },
    /// There is no core any more.
    Gone,
}

/// The signal of a stop that the host asked for.
pub(crate) const INTERRUPT: u8 = 2;

/// Reads a reply as a report, `None` if it is something else.
pub(crate) fn report(body: &[u8]) -> Option<Report> {
    let mut signal = [0];
    match body {
        [b'W' | b'X', ..] => Some(Report::Gone),
        [b'S' | b'T', high, low, fields @ ..] => {
            packet::read_hex(&[*high, *low], &mut signal)?;
            let watch = fields
                .split(|&byte| byte == b';')
                .find_map(|field| field.strip_prefix(b"watch:").and_then(packet::read_number));
            Some(Report::Stopped { signal: signal[0], watch })
        }
        _ => None,
    }
}

/// What a server says it can do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) packet_size: usize,
    pub(crate) no_acknowledgement: bool,
    pub(crate) description: bool,
}

/// What a server takes that does not say: the size GDB itself starts with.
const MODEST_PACKET_SIZE: usize = 400;
/// Neither smaller, so that every request fits, nor larger than what is gained by it.
const PACKET_SIZES: std::ops::RangeInclusive<usize> = 64..=0x4000;

/// Reads the reply to `qSupported`.
pub(crate) fn features(body: &[u8]) -> Features {
    let mut features =
        Features { packet_size: MODEST_PACKET_SIZE, no_acknowledgement: false, description: false };
    for field in body.split(|&byte| byte == b';') {
        match field {
            b"QStartNoAckMode+" => features.no_acknowledgement = true,
            b"qXfer:features:read+" => features.description = true,
            _ => {
                if let Some(size) = field.strip_prefix(b"PacketSize=").and_then(packet::read_number) {
                    let (smallest, largest) = PACKET_SIZES.into_inner();
                    features.packet_size = (size as usize).clamp(smallest, largest);
                }
            }
        }
    }
    features
}

/// The beginning of a reply as text for errors.
pub(crate) fn excerpt(body: &[u8]) -> String {
    const LENGTH: usize = 60;
    let text = body[..body.len().min(LENGTH)].escape_ascii().to_string();
    if body.len() > LENGTH { text + "…" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_replies_differ_from_data() {
        assert_eq!(answer(b"OK"), Answer::Accepted);
        assert_eq!(answer(b""), Answer::Unsupported);
        assert_eq!(answer(b"E14"), Answer::Refused(b"14"));
        assert_eq!(answer(b"E.no such memory"), Answer::Refused(b".no such memory"));
        assert_eq!(answer(b"E014"), Answer::Something);
        assert_eq!(answer(b"O48690a"), Answer::Output);
        assert_eq!(answer(b"2000"), Answer::Something);
    }

    #[test]
    fn a_stop_tells_its_signal_and_watchpoint() {
        let stopped = |signal, watch| Some(Report::Stopped { signal, watch });
        assert_eq!(report(b"T05thread:01;watch:2000c000;"), stopped(5, Some(0x2000_C000)));
        assert_eq!(report(b"T02thread:01;"), stopped(2, None));
        assert_eq!(report(b"S05"), stopped(5, None));
        assert_eq!(report(b"T05watch:;"), stopped(5, None));
        assert_eq!(report(b"W00"), Some(Report::Gone));
        assert_eq!(report(b"X09"), Some(Report::Gone));
        assert_eq!(report(b"T0"), None);
        assert_eq!(report(b"Txx"), None);
        assert_eq!(report(b"OK"), None);
        assert_eq!(report(b""), None);
    }

    #[test]
    fn features_keep_their_defaults_unless_told() {
        let none = features(b"");
        assert_eq!(none, Features { packet_size: 400, no_acknowledgement: false, description: false });
        let all = features(b"PacketSize=1000;QStartNoAckMode+;qXfer:features:read+;multiprocess+");
        assert_eq!(all, Features { packet_size: 0x1000, no_acknowledgement: true, description: true });
        assert_eq!(features(b"PacketSize=1").packet_size, 64);
        assert_eq!(features(b"PacketSize=ffffffff").packet_size, 0x4000);
        assert_eq!(features(b"PacketSize=?;QStartNoAckMode-").packet_size, 400);
    }

    #[test]
    fn long_replies_are_cut_in_errors() {
        assert_eq!(excerpt(b"a\x00b"), "a\\x00b");
        assert_eq!(excerpt(&[b'a'; 100]), "a".repeat(60) + "…");
    }
}
