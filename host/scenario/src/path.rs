//! Paths in JSON. A path that is not text is shown as well as it can be, instead of failing the whole event.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    path.to_string_lossy().serialize(serializer)
}

pub(crate) mod optional {
    //! The same for a path that may not be there.

    use super::{PathBuf, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
    }
}
