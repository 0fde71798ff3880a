//! Run events turned into terminal text and JSON lines.
