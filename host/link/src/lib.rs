//! How to reach a core.
