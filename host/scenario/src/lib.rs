//! Run events, findings and the scenario file.
