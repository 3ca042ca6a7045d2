//! End-to-end runs of the binary.
