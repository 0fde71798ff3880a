//! Numbers and bytes the firmware lets a user set.

use fwvs_wire::ParameterDescription;
use zerocopy::FromBytes;

use crate::error::{Error, ParameterFault as Fault};
use crate::firmware::bytes_of;
use crate::segment::{Segment, overlap, range};

/// More would not fit any mailbox.
const MOST_WORDS: u32 = 4096;
const LONGEST_NAME: u32 = 64;

/// Something the firmware lets a user set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// What it is called.
    pub name: String,
    /// Where the host puts its value.
    pub address: u32,
    /// How many words that is: one for a number, more for bytes.
    pub words: u32,
    /// The number when nobody says otherwise.
    pub default: i32,
    /// The smallest number that makes sense.
    pub minimum: i32,
    /// The largest.
    pub maximum: i32,
}

impl Parameter {
    /// Whether it is a number, not a list of bytes.
    pub fn is_number(&self) -> bool {
        self.words == 1
    }

    /// The words that stand for a value written by a user: a number within its bounds, or bytes in hexadecimal.
    pub fn parse(&self, text: &str) -> Result<Vec<u32>, Error> {
        let value = if self.is_number() { self.number(text) } else { self.byte_list(text) };
        value.map_err(|reason| Error::ParameterValue {
            name: self.name.clone(),
            value: text.into(),
            reason,
            hint: if self.is_number() {
                format!("give a number from {} to {}, such as {}", self.minimum, self.maximum, self.default)
            } else {
                format!("give up to {} bytes as pairs of hexadecimal digits, such as 0aff", self.words * 4)
            },
        })
    }

    /// The words when nobody says otherwise; bytes are all zero.
    pub fn default_words(&self) -> Vec<u32> {
        match self.is_number() {
            true => vec![self.default as u32],
            false => vec![0; self.words as usize],
        }
    }

    /// The value when nobody says otherwise, as a user would write it.
    pub fn default_text(&self) -> String {
        if self.is_number() { self.default.to_string() } else { String::new() }
    }

    fn number(&self, text: &str) -> Result<Vec<u32>, &'static str> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let (digits, base) = hexadecimal.map_or((digits, 10), |digits| (digits, 16));
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
            return Err("that is not a number");
        }
        let outside = "that is outside its range";
        let size = i64::from_str_radix(digits, base).map_err(|_| outside)?;
        let number = i32::try_from(if negative { -size } else { size }).map_err(|_| outside)?;
        if !(self.minimum..=self.maximum).contains(&number) {
            return Err(outside);
        }
        Ok(vec![number as u32])
    }

    fn byte_list(&self, text: &str) -> Result<Vec<u32>, &'static str> {
        let digits = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<Vec<_>>>();
        let digits = digits.ok_or("that is not hexadecimal")?;
        if !digits.len().is_multiple_of(2) {
            return Err("half a byte is missing");
        }
        if digits.len() / 2 > self.words as usize * 4 {
            return Err("that is too long");
        }
        let mut words = self.default_words();
        for (place, pair) in digits.chunks(2).enumerate() {
            let byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
            words[place / 4] |= byte << (8 * (place % 4));
        }
        Ok(words)
    }
}

/// Every entry of the section; what is wrong with one comes with its number, counted from 1.
pub(crate) fn read_all(section: &[u8], segments: &[Segment]) -> Result<Vec<Parameter>, (usize, Fault)> {
    const ENTRY: usize = size_of::<ParameterDescription<u32>>();
    let mut parameters: Vec<Parameter> = Vec::new();
    for (index, bytes) in section.chunks(ENTRY).enumerate() {
        let parameter = read(bytes, segments).map_err(|fault| (index + 1, fault))?;
        if parameters.iter().any(|other| other.name == parameter.name) {
            return Err((index + 1, Fault::Twice { name: parameter.name }));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

fn read(bytes: &[u8], segments: &[Segment]) -> Result<Parameter, Fault> {
    let entry = ParameterDescription::<u32>::read_from_bytes(bytes).map_err(|_| Fault::CutOff)?;
    if !(1..=LONGEST_NAME).contains(&entry.name_length) {
        return Err(Fault::NameUnusable);
    }
    let name = bytes_of(segments, entry.name, entry.name_length)
        .ok_or(Fault::NameOutside { address: entry.name, length: entry.name_length })?;
    let usable = |letter: &u8| letter.is_ascii_graphic() && *letter != b'=';
    let name = match str::from_utf8(name) {
        Ok(text) if name.iter().all(usable) => text.to_owned(),
        _ => return Err(Fault::NameUnusable),
    };
    let ParameterDescription { value, words, default, minimum, maximum, .. } = entry;
    if !(1..=MOST_WORDS).contains(&words) {
        return Err(Fault::Words { name, words, most: MOST_WORDS });
    }
    if words == 1 && !(minimum..=maximum).contains(&default) {
        return Err(Fault::Bounds { name, minimum, maximum, default });
    }
    let place = range(value, u64::from(words) * 4);
    // Start-up code would write over a value that is part of the image.
    let loaded =
        |segment: &Segment| overlap(&range(segment.run_address, segment.bytes().len() as u64), &place);
    if !value.is_multiple_of(4) || place.end > 1 << 32 || segments.iter().any(loaded) {
        return Err(Fault::Place { name, address: value });
    }
    Ok(Parameter { name, address: value, words, default, minimum, maximum })
}

/// There is none of that name: which one was meant, and which there are.
pub(crate) fn unknown(firmware: &str, parameters: &[Parameter], name: &str) -> Error {
    let declared = |parameter: &Parameter| match parameter.is_number() {
        true => format!("{}={}", parameter.name, parameter.default),
        false => format!("{} (up to {} bytes)", parameter.name, parameter.words * 4),
    };
    let nearest = parameters
        .iter()
        .map(|parameter| (edits(name, &parameter.name), parameter))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, parameter)| *distance <= parameter.name.len().div_ceil(2));
    let list = parameters.iter().map(declared).collect::<Vec<_>>().join(", ");
    let hint = match nearest {
        _ if parameters.is_empty() => "it declares none, so leave out --set".into(),
        Some((_, parameter)) => format!("did you mean {}? it declares {list}", parameter.name),
        None => format!("it declares {list}"),
    };
    Error::UnknownParameter { firmware: firmware.into(), name: name.into(), hint }
}

/// How many letters to insert, remove or replace, upper and lower case alike; long names are looked at in part.
fn edits(one: &str, other: &str) -> usize {
    let letters = |text: &str| {
        text.chars().take(LONGEST_NAME as usize).map(|letter| letter.to_ascii_lowercase()).collect::<Vec<_>>()
    };
    let (one, other) = (letters(one), letters(other));
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, against) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != against);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
