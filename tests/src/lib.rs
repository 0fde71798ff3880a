//! The in-memory System.
