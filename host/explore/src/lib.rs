//! Which transition next.
