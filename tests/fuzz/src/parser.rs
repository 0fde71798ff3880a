//! The parsers, each with real inputs and with what it must do whatever it is given.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use fwvs_board::Board;
use fwvs_foreign::text::is_hidden;
use fwvs_kernel::Rules;
use fwvs_link::packet;
use fwvs_report::{JsonReporter, Reporter, TextReporter};
use fwvs_scenario::{RunEvent, Scenario};
use fwvs_session::Roster;
use fwvs_symbols::{Firmware, MemoryMap};
use fwvs_tests::built::{example, root};
use fwvs_tests::target::Target;
use fwvs_wire::{Creation, Incident, Record, Report, StopCode, Use};
use sha2::{Digest, Sha256};
use zerocopy::FromBytes;

use crate::conversation::Script;
use crate::mutation::Shape;
use crate::playback;
use crate::resumption;

/// One way for foreign bytes into fw-vs.
pub struct Parser {
    /// What it is called on the command line, and the name of the folder of kept inputs.
    pub name: &'static str,
    /// What its bytes are.
    pub about: &'static str,
    /// How they are damaged.
    pub shape: Shape,
    /// Real inputs.
    pub inputs: fn() -> Vec<Vec<u8>>,
    /// Does everything that fw-vs does with such bytes. Gives back what would be told; panics if that is not as it should be.
    pub parse: fn(&[u8]) -> String,
}

/// All of them.
pub const PARSERS: &[Parser] = &[
    Parser {
        name: "elf",
        about: "firmware: segments, description, parameters, names",
        shape: Shape::Elf,
        inputs: firmware,
        parse: elf,
    },
    Parser {
        name: "symbols",
        about: "firmware: debug information",
        shape: Shape::Elf,
        inputs: firmware,
        parse: symbols,
    },
    Parser {
        name: "loaded",
        about: "firmware: what is loaded, by QEMU or by us",
        shape: Shape::Elf,
        inputs: firmware,
        parse: loaded,
    },
    Parser {
        name: "setup",
        about: "set-up entries of a target",
        shape: Shape::Words,
        inputs: entries,
        parse: setup,
    },
    Parser {
        name: "record",
        about: "a record, a creation, a report, an incident",
        shape: Shape::Words,
        inputs: records,
        parse: record,
    },
    Parser {
        name: "target",
        about: "everything that a target says to a session",
        shape: Shape::Words,
        inputs: targets,
        parse: target,
    },
    Parser {
        name: "packet",
        about: "bytes of a gdb server",
        shape: Shape::Packets,
        inputs: packets,
        parse: raw,
    },
    Parser {
        name: "reply",
        about: "packets of a gdb server",
        shape: Shape::Text,
        inputs: conversations,
        parse: replies,
    },
    Parser { name: "board", about: "board files", shape: Shape::Text, inputs: boards, parse: board },
    Parser { name: "study", about: "studies", shape: Shape::Text, inputs: studies, parse: study },
    Parser {
        name: "scenario",
        about: "scenario files",
        shape: Shape::Text,
        inputs: scenarios,
        parse: scenario,
    },
    Parser {
        name: "checkpoint",
        about: "checkpoints, with a digest that fits",
        shape: Shape::Text,
        inputs: checkpoints,
        parse: checkpoint,
    },
    Parser {
        name: "resume",
        about: "searches that were put aside, and how they go on",
        shape: Shape::Text,
        inputs: resumption::put_aside,
        parse: resumption::go_on,
    },
    Parser { name: "event", about: "lists of events", shape: Shape::Text, inputs: events, parse: event },
    Parser { name: "value", about: "values of parameters", shape: Shape::Text, inputs: values, parse: value },
];

/// An error is told with a hint, and does not steer the terminal.
fn told(text: &str) -> String {
    let safe = fwvs_foreign::styled(text);
    assert!(!safe.contains(|letter| is_hidden(letter) && !matches!(letter, '\n' | '\t')), "{safe:?}");
    assert!(!text.is_empty(), "an error without words");
    text.to_owned()
}

fn hinted(text: &str) -> String {
    assert!(text.contains("\nhint: "), "no hint: {text}");
    told(text)
}

fn result<T, E: std::fmt::Display>(result: Result<T, E>) -> String {
    result.map_or_else(|error| hinted(&error.to_string()), |_| "taken".to_owned())
}

fn firmware() -> Vec<Vec<u8>> {
    ["philosophers", "program"].map(|name| fs::read(example(name)).expect("it is built")).into()
}

/// The memory of the board that the examples are built for.
fn memory() -> MemoryMap {
    MemoryMap { flash: 0..0x4_0000, ram: 0x2000_0000..0x2000_B000, mailbox: 0x2000_B000..0x2001_0000 }
}

fn elf(input: &[u8]) -> String {
    let firmware = match Firmware::parse(input.to_vec(), Path::new("firmware.elf")) {
        Ok(firmware) => firmware,
        Err(error) => return hinted(&error.to_string()),
    };
    for place in [0, 1, 100, u16::MAX] {
        firmware.event_name(place);
    }
    for address in [0, 4, 0x100, u32::MAX - 1] {
        firmware.bytes(address, u32::MAX);
        firmware.text(address, 8);
    }
    firmware.hard_fault();
    for parameter in firmware.parameters() {
        parameter.default_words();
        for text in ["", "1", "-1", "0xffffffff", "abc"] {
            parameter.parse(text).map_err(|error| hinted(&error.to_string())).ok();
        }
    }
    firmware.parameter("N").map_err(|error| hinted(&error.to_string())).ok();
    result(firmware.check_fits(&memory()))
}

fn loaded(input: &[u8]) -> String {
    let refused = |source| hinted(&fwvs_link::Error::Firmware { path: "fw.elf".into(), source }.to_string());
    let (filled, written) = match (fwvs_link::filled(input), fwvs_link::written(input)) {
        (Ok(filled), Ok(written)) => (filled, written),
        (Err(source), _) | (_, Err(source)) => return refused(source),
    };
    // Two readers of one file: what is looked at before a run is what is then loaded.
    let Ok(firmware) = Firmware::parse(input.to_vec(), Path::new("fw.elf")) else { return "taken".into() };
    for segment in firmware.segments().iter().filter(|segment| !segment.bytes().is_empty()) {
        let last = segment.address + (segment.bytes().len() as u32 - 1);
        let has = |range: &RangeInclusive<u32>| range.contains(&segment.address) && range.contains(&last);
        assert!(filled.iter().any(has), "{:#x} to {last:#x} is not in {filled:x?}", segment.address);
        let same = |(at, bytes): &(u32, Vec<u8>)| *at == segment.address && bytes == segment.bytes();
        assert!(written.iter().any(same), "what is at {:#x} is not written", segment.address);
    }
    "taken, like a firmware".into()
}

fn symbols(input: &[u8]) -> String {
    let Ok(firmware) = Firmware::parse(input.to_vec(), Path::new("firmware.elf")) else {
        return "refused".to_owned();
    };
    let mut known = 0;
    for segment in firmware.segments() {
        let (begin, length) = (segment.run_address, segment.bytes().len() as u32);
        for step in 0..16 {
            let pc = begin.saturating_add(length / 16 * step);
            known += u32::from(firmware.place_of_return(pc).is_some());
            known += u32::from(firmware.place_of_instruction(pc).is_some());
        }
    }
    format!("{} places known", "i".repeat(known as usize))
}

thread_local! {
    /// Reading the debug information of a firmware takes long; one is enough for all inputs.
    static PHILOSOPHERS: OnceCell<Target> = const { OnceCell::new() };
}

fn with_philosophers<T>(work: impl FnOnce(&Target) -> T) -> T {
    PHILOSOPHERS.with(|target| work(target.get_or_init(|| Target::example("philosophers", &[("N", "2")]))))
}

fn entries() -> Vec<Vec<u8>> {
    with_philosophers(|target| vec![playback::recorded(target).1])
}

fn setup(input: &[u8]) -> String {
    let whole = &input[..input.len() / Creation::BYTES * Creation::BYTES];
    with_philosophers(|target| {
        let read = |cut| match Roster::read(target.firmware(), &Rules::FREE, whole, cut) {
            Ok(roster) => format!("{} tasks {} objects", roster.tasks().len(), roster.objects().len()),
            Err(error) => hinted(&error.to_string()),
        };
        format!("{}; {}", read(false), read(true))
    })
}

fn records() -> Vec<Vec<u8>> {
    let mut record = Record::taken(
        fwvs_kernel::Transition { task: fwvs_kernel::TaskId::setup(0), alternative: 0 },
        1,
        true,
    );
    record.arrived(fwvs_kernel::Operation::delay(70_000), 0x100);
    let words = record.words().map(u32::to_le_bytes).concat();
    vec![words.clone(), words.repeat(16), vec![0; 256]]
}

fn record(input: &[u8]) -> String {
    let mut kinds = BTreeSet::new();
    for bytes in input.chunks_exact(Record::BYTES).take(4) {
        let wide = u32::from_le_bytes([bytes[0], bytes[5], bytes[10], bytes[15]]);
        let record = Record::read_from_bytes(bytes).expect("16 bytes");
        match record.operation(wide) {
            Ok(operation) => {
                // What was understood is written the same way.
                let mut again = Record::taken(record.transition(), record.level, record.served());
                let word = again.arrived(operation, record.pc);
                assert_eq!(again.operation(word.unwrap_or_default()), Ok(operation), "{record:?}");
                kinds.insert(format!("{operation:?}").split(' ').next().unwrap_or_default().to_owned());
            }
            Err(why) => drop(kinds.insert(format!("{why:?}"))),
        }
        kinds.insert(format!("{} {:?} {}", record.served(), record.phase(), record.stays()));
        std::hint::black_box(record.digest(0, Some(wide)));
        let creation = Creation::read_from_bytes(bytes).expect("16 bytes");
        kinds.insert(creation.what().map_or("nothing", |_| "a creation").to_owned());
        let one = Use::read_from_bytes(bytes).expect("16 bytes");
        kinds.insert(one.declared().map_or("no use", |_| "a use").to_owned());
    }
    if let Ok((report, rest)) = Report::read_from_prefix(input) {
        kinds.insert(format!("{:?}", StopCode::from_code(report.stop)));
        Incident::read_from_prefix(rest).ok();
    }
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

fn targets() -> Vec<Vec<u8>> {
    with_philosophers(|target| vec![playback::recorded(target).0])
}

fn target(input: &[u8]) -> String {
    with_philosophers(|target| match playback::use_all(target, playback::Playback::new(input)) {
        Ok(counts) => format!("{} paths", "i".repeat(counts.paths as usize)),
        Err(error) => told(&error.to_string()),
    })
}

/// A conversation as QEMU leads it, and one as a server leads it that wants acknowledgements.
fn conversations() -> Vec<Vec<u8>> {
    let state = "00".repeat(60) + "00020000" + "00000001";
    let with_qemu = format!(
        "\0\0\nPacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+\nsstepbits;sstep;PhyMemMode\nl<target/>\n\
         T05thread:01;\nOK\nOK\nOK\nOK\nO4869\nT05thread:01;watch:2000c000;\nOK\nT05thread:01;\n{state}\n\
         00112233445566778899aabbccddeeff\n{state}"
    );
    let other = format!(
        "\x03\x01\nPacketSize=400;QStartNoAckMode+;qXfer:features:read+\nOK\n\nl<target/>\nS05\nOK\nOK\nOK\nOK\nO4869\n\
         T05thread:01;watch:2000c000;\n{state}\nOK\nT05thread:01;\n{state}\n00112233445566778899aabbccddeeff\n{state}"
    );
    vec![with_qemu.into(), other.into(), b"\0\x02\n\n\nS05".to_vec()]
}

fn replies(input: &[u8]) -> String {
    match Script::of_bodies(input).talk() {
        Ok((first, second)) => format!("{first:?} {second:?}"),
        Err(error) => hinted(&error.to_string()),
    }
}

fn packets() -> Vec<Vec<u8>> {
    let framed = |input: Vec<u8>| {
        let mut bytes = Vec::new();
        for (number, body) in input.split(|byte| *byte == b'\n').enumerate() {
            if number == 0 {
                bytes.extend([body, b"\n"].concat());
            } else {
                bytes.push(b'+');
                packet::frame(&mut bytes, |output| output.extend_from_slice(body));
            }
        }
        bytes
    };
    conversations()
        .into_iter()
        .map(framed)
        .chain([b"\0\0\n+$0* #7a%Stop:T05#00$}\x03*\"#00".to_vec()])
        .collect()
}

fn raw(input: &[u8]) -> String {
    let mut rest = input;
    let mut kinds = String::new();
    let mut expanded = Vec::new();
    while let Ok(packet::Step { frame, used }) = packet::next(rest) {
        assert!(used <= rest.len() && (frame.is_none() || used > 0), "no progress");
        rest = &rest[used..];
        match frame {
            None => break,
            Some(packet::Frame::Packet(body)) => {
                let flaw = packet::expand(body, &mut expanded).err();
                assert!(flaw.is_some() || expanded.len() <= packet::LIMIT, "{} bytes", expanded.len());
                kinds.push_str(&format!("{flaw:?}"));
            }
            Some(_) => kinds.push('.'),
        }
    }
    let (settings, bytes) = input.split_at(input.len().min(3));
    kinds
        + &match Script::of_bytes(settings, bytes.to_vec()).talk() {
            Ok((first, second)) => format!("{first:?} {second:?}"),
            Err(error) => hinted(&error.to_string()),
        }
}

/// The files below a folder of the repository that have this ending.
fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let mut folders = vec![root().join(folder)];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "there is no {ending} below {folder}");
    found.iter().map(|path| fs::read(path).expect("a file")).collect()
}

fn boards() -> Vec<Vec<u8>> {
    files("boards", ".toml")
}

fn board(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    result(Board::parse("board", &text))
}

fn studies() -> Vec<Vec<u8>> {
    let all = "title = \"t\"\nexample = \"x\"\nboard = \"my.toml=localhost:1\"\noptions = [\"--max-time\", \"10m\"]\n[set]\nN = 1\n\
        [[question]]\nname = \"a\"\nkind = \"smallest\"\nparameter = \"P\"\nfrom = 1\nto = 9\nexpect = \"none\"\n\
        finding = { kind = \"crash\", message = \"m\" }\ncolumns = { row = \"r\", tasks = [\"t\"] }\n\
        [[question]]\nname = \"b\"\nkind = \"sequences\"\nexpect = 3\noptions = [\"--search\", \"pct\", \"--stop\", \"3\"]\n";
    let mut inputs = files("firmware-examples", "study.toml");
    inputs.push(all.into());
    inputs
}

fn study(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    match fw_vs::foreign::study(&text, Path::new("study.toml")) {
        Ok(()) => "taken".to_owned(),
        Err(error) => hinted(&fw_vs::foreign::told(&error)),
    }
}

fn scenarios() -> Vec<Vec<u8>> {
    files("tests/fuzz-inputs", ".scenario.json")
}

fn scenario(input: &[u8]) -> String {
    let path = Path::new("scenario.json");
    let scenario = match Scenario::parse(input, path) {
        Ok(scenario) => scenario,
        Err(error) => return hinted(&error.to_string()),
    };
    let written = scenario.to_json();
    assert_eq!(Scenario::parse(written.as_bytes(), path).expect("it was written by us"), scenario);
    "taken".to_owned()
}

fn checkpoints() -> Vec<Vec<u8>> {
    files("tests/fuzz-inputs", ".checkpoint.json")
}

fn checkpoint(input: &[u8]) -> String {
    let digest: String = Sha256::digest(input).iter().map(|byte| format!("{byte:02x}")).collect();
    let whole = [digest.as_bytes(), b"\n", input].concat();
    match fw_vs::foreign::checkpoint(&whole, Path::new("checkpoint")) {
        Ok(()) => "taken".to_owned(),
        Err(error) => hinted(&fw_vs::foreign::told(&error)),
    }
}

fn events() -> Vec<Vec<u8>> {
    files("tests/fuzz-inputs", ".events.jsonl")
}

fn event(input: &[u8]) -> String {
    let lines = String::from_utf8_lossy(input);
    let mut kinds = String::new();
    for line in lines.lines().take(50) {
        match serde_json::from_str::<RunEvent>(line) {
            Ok(event) => {
                shown(&event);
                kinds.push_str("taken ");
            }
            Err(error) => kinds.push_str(&told(&error.to_string())),
        }
    }
    kinds
}

/// As text and as JSON: nothing in it steers the terminal.
fn shown(event: &RunEvent) {
    for width in [60, 120] {
        let mut text = TextReporter::new(Vec::new(), width);
        text.event(event).expect("memory takes everything");
        let text = String::from_utf8(text.into_inner()).expect("it was text");
        let bare = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];
        let bare = bare.iter().fold(text, |text, style| text.replace(style, ""));
        assert!(!bare.contains(|letter| is_hidden(letter) && letter != '\n'), "{bare:?}");
    }
    let mut json = JsonReporter::new(Vec::new());
    json.event(event).expect("memory takes everything");
    let json = String::from_utf8(json.into_inner()).expect("it was text");
    assert!(!json.trim_end().contains(is_hidden), "{json:?}");
    let again: RunEvent = serde_json::from_str(&json).expect("it was written by us");
    assert_eq!(serde_json::to_string(&again).ok(), serde_json::to_string(event).ok());
}

fn values() -> Vec<Vec<u8>> {
    ["1", "-1", "0xff", "0aff", "00ff 12", "9223372036854775808"].map(Vec::from).into()
}

fn value(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let parameter = |words| fwvs_symbols::Parameter {
        name: "N".into(),
        address: 0x2000_0000,
        words,
        default: 1,
        minimum: -5,
        maximum: 100,
    };
    let number = parameter(1).parse(&text);
    if let Ok(words) = &number {
        assert!((-5..=100).contains(&(words[0] as i32)), "{words:?}");
    }
    let bytes = parameter(4).parse(&text);
    assert!(bytes.as_ref().is_ok_and(|words| words.len() == 4) || bytes.is_err());
    format!("{}; {}", result(number), result(bytes))
}
