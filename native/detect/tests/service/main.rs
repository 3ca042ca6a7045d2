//! The service on recorded and generated sessions.

mod cases;
