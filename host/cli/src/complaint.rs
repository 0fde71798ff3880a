//! An error as it is told: what failed and why, then what can be done about it.

use std::error::Error;
use std::io;

/// What failed, each reason once, and the hints after all of them.
pub(crate) fn complaint(error: &(dyn Error + 'static)) -> String {
    let (mut reasons, mut hints) = (Vec::<String>::new(), Vec::<String>::new());
    let chain = || std::iter::successors(Some(error), |&error| error.source());
    for part in chain().map(ToString::to_string) {
        let (reason, hint) = match part.split_once("\nhint: ") {
            Some((reason, hint)) => (reason, Some(hint)),
            None => (part.as_str(), None),
        };
        // Many errors quote the one that they come from.
        if !reasons.iter().any(|known| known.contains(reason)) {
            reasons.push(reason.to_owned());
        }
        hints.extend(hint.filter(|hint| !hints.iter().any(|known| known == hint)).map(str::to_owned));
    }
    if let Some(scarce) = chain().filter_map(|part| part.downcast_ref()).find_map(scarce) {
        hints = vec![scarce.to_owned()];
    }
    let hints = hints.into_iter().map(|hint| format!("\nhint: {hint}"));
    reasons.join(": ") + &hints.collect::<String>()
}

/// What to do where the system has no more of something: whatever failed, that is the cause.
fn scarce(error: &io::Error) -> Option<&'static str> {
    match error.raw_os_error()? {
        libc::EMFILE => Some("too few files may be open at a time: raise the limit with `ulimit -n 1024`"),
        libc::ENFILE => Some("the whole system has too many files open: end other programs"),
        libc::EAGAIN => Some(
            "too few processes and threads are allowed: raise the limit with `ulimit -u`, or end other programs",
        ),
        libc::ENOMEM => {
            Some("there is too little memory: end other programs, or raise the limit with `ulimit -v`")
        }
        libc::EFBIG => Some("files may not become that long: raise the limit with `ulimit -f unlimited`"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn hints_come_last() {
        let error =
            anyhow!("no such file\nhint: look elsewhere").context("cannot read it\nhint: ask somebody");
        assert_eq!(
            complaint(error.as_ref()),
            "cannot read it: no such file\nhint: ask somebody\nhint: look elsewhere"
        );
    }

    #[test]
    fn what_is_scarce_is_what_to_do_something_about() {
        let error: Result<(), _> = Err(io::Error::from_raw_os_error(libc::EMFILE));
        let told = complaint(error.context("cannot start\nhint: try by hand").unwrap_err().as_ref());
        assert!(told.starts_with("cannot start: Too many open files"), "{told}");
        assert!(told.contains("hint: too few files") && !told.contains("by hand"), "{told}");
    }

    #[test]
    fn a_reason_that_was_quoted_is_not_told_again() {
        let error: Result<(), _> = Err(io::Error::other("it is gone"));
        let error = error.context("cannot read it: it is gone\nhint: look elsewhere").unwrap_err();
        assert_eq!(complaint(error.as_ref()), "cannot read it: it is gone\nhint: look elsewhere");
    }
}
