//! From an address to function, file and line.
//!
//! The shim's methods are inlined into the code that calls them, and so is much of `core`. A user wants to see the
//! line of their own that did it, so those frames are passed over.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use addr2line::Context;
use gimli::{EndianReader, LittleEndian, Reader as _, SectionId};

use crate::elf::Elf;

/// Where in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Which function, with its path.
    pub function: String,
    /// Which file, below the directory it was compiled in where that is known.
    pub file: String,
    /// Which line, counted from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

type Reader = EndianReader<LittleEndian, Arc<[u8]>>;

/// The firmware's debug information, read when first asked.
pub(crate) struct Places {
    image: Reader,
    sections: BTreeMap<&'static str, Range<usize>>,
    context: OnceLock<Option<Mutex<Context<Reader>>>>,
}

impl Places {
    pub(crate) fn new(elf: &Elf) -> Self {
        let image = Reader::new(Arc::clone(&elf.image), LittleEndian);
        Self { image, sections: elf.sections.clone(), context: OnceLock::new() }
    }

    /// The innermost line at an address that is the user's own.
    pub(crate) fn own(&self, address: u32) -> Option<Place> {
        self.find(address).filter(|(_, own)| *own).map(|(place, _)| place)
    }

    /// The same, or the outermost line if none is the user's own.
    pub(crate) fn any(&self, address: u32) -> Option<Place> {
        self.find(address).map(|(place, _)| place)
    }

    /// And whether it is the user's own.
    fn find(&self, address: u32) -> Option<(Place, bool)> {
        let context = self.context.get_or_init(|| self.read().map(Mutex::new)).as_ref()?;
        // What is kept between lookups is complete or absent, also after a panic.
        let context = context.lock().unwrap_or_else(PoisonError::into_inner);
        let address = u64::from(address);
        let directory = context
            .find_dwarf_and_unit(address)
            .skip_all_loads()
            .and_then(|unit| Some(unit.comp_dir.as_ref()?.to_string_lossy().ok()?.into_owned()));
        let mut frames = context.find_frames(address).skip_all_loads().ok()?;
        let mut best = None;
        while let Ok(Some(frame)) = frames.next() {
            let Some((file, line)) = frame.location.and_then(|location| location.file.zip(location.line))
            else {
                continue;
            };
            let function = frame.function.as_ref().and_then(|name| name.demangle().ok()).unwrap_or_default();
            let own = !is_foreign(&function, file);
            let file = shorten(file, directory.as_deref());
            best = Some((Place { function: function.into_owned(), file, line }, own));
            if own {
                break;
            }
        }
        best
    }

    fn read(&self) -> Option<Context<Reader>> {
        let section = |id: SectionId| -> Result<Reader, Infallible> {
            Ok(self.image.range(self.sections.get(id.name()).cloned().unwrap_or(0..0)))
        };
        let Ok(dwarf) = gimli::Dwarf::load(section);
        Context::from_dwarf(dwarf).ok()
    }
}

/// Rust's own sources, as shipped and as installed.
const RUST: [&str; 2] = ["/rustc/", "/rustlib/src/rust/"];

/// Whether code belongs to the shim or to Rust itself: by its function's crate, and by its file where that does not
/// say it, as for `<&T as core::fmt::Debug>::fmt` or a function without a path.
fn is_foreign(function: &str, file: &str) -> bool {
    let crate_name = function.trim_start_matches('<').split("::").next().unwrap_or_default();
    let pathless = !function.contains("::");
    ["fwvs", "fwvs_kernel", "fwvs_wire", "core", "alloc"].contains(&crate_name) && !pathless
        || RUST.iter().any(|mark| file.contains(mark))
        || pathless && file.contains("/target-shim/shim/src/")
}

/// A file as a person would name it: below the directory it was compiled in, Rust's sources, or the registry.
fn shorten(file: &str, directory: Option<&str>) -> String {
    let path = Path::new(file);
    if let Some(Ok(below)) = directory.filter(|text| !text.is_empty()).map(|text| path.strip_prefix(text)) {
        return below.to_string_lossy().into_owned();
    }
    let [shipped, installed] = RUST;
    // A directory named after a commit, or after the registry, comes before the part that means something.
    let behind = |mark: &str| Some(file.split_once(mark)?.1.split_once('/')?.1);
    let below =
        behind(shipped).or_else(|| Some(file.split_once(installed)?.1)).or_else(|| behind("/registry/src/"));
    below.unwrap_or_else(|| file.strip_prefix("./").unwrap_or(file)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{is_foreign, shorten};

    #[test]
    fn the_shim_and_rust_itself_are_foreign() {
        let own = "/home/somebody/app/src/main.rs";
        for function in ["fwvs::Semaphore::take", "<fwvs::Queue<app::Message>>::send", "core::mem::drop"] {
            assert!(is_foreign(function, own), "{function}");
        }
        for function in
            ["app::main", "<app::Lock as core::ops::Drop>::drop", "fwvs_demo::main", "main", "core"]
        {
            assert!(!is_foreign(function, own), "{function}");
        }
        assert!(is_foreign("<&T as core::fmt::Debug>::fmt", "/rustc/0123/library/core/src/fmt/mod.rs"));
        assert!(is_foreign("take", "/home/somebody/fw-vs/target-shim/shim/src/semaphore.rs"));
    }

    #[test]
    fn a_file_is_named_as_a_person_would() {
        let short = |file| shorten(file, Some("/home/somebody/app"));
        assert_eq!(short("/home/somebody/app/src/main.rs"), "src/main.rs");
        assert_eq!(short("/home/somebody/application/src/main.rs"), "/home/somebody/application/src/main.rs");
        assert_eq!(short("/rustc/0123abcd/library/core/src/option.rs"), "library/core/src/option.rs");
        let installed = "/opt/rust/lib/rustlib/src/rust/library/core/src/option.rs";
        assert_eq!(short(installed), "library/core/src/option.rs");
        assert_eq!(
            short("/home/somebody/.cargo/registry/src/mirror-1f/heapless-0.9.1/src/vec.rs"),
            "heapless-0.9.1/src/vec.rs"
        );
        assert_eq!(shorten("./src/main.c", None), "src/main.c");
        assert_eq!(shorten("src/main.c", Some("")), "src/main.c");
    }
}
