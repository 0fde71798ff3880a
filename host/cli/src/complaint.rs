//! An error as it is told: what failed and why, then what can be done about it.

/// What failed, each reason once, and the hints after all of them.
pub(crate) fn complaint(error: &anyhow::Error) -> String {
    let (mut reasons, mut hints) = (Vec::<String>::new(), Vec::<String>::new());
    for part in error.chain().map(ToString::to_string) {
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
    let hints = hints.into_iter().map(|hint| format!("\nhint: {hint}"));
    reasons.join(": ") + &hints.collect::<String>()
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn hints_come_last() {
        let error =
            anyhow!("no such file\nhint: look elsewhere").context("cannot read it\nhint: ask somebody");
        assert_eq!(
            complaint(&error),
            "cannot read it: no such file\nhint: ask somebody\nhint: look elsewhere"
        );
    }

    #[test]
    fn a_reason_that_was_quoted_is_not_told_again() {
        let error: Result<(), _> = Err(io::Error::other("it is gone"));
        let error = error.context("cannot read it: it is gone\nhint: look elsewhere").unwrap_err();
        assert_eq!(complaint(&error), "cannot read it: it is gone\nhint: look elsewhere");
    }
}
