//! The two ways to be told to end, and the status that a run ends with then: 128 and the signal's number, as shells have
//! it.

use std::{io, process::ExitCode};

/// What came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// Ctrl-C.
    Interrupt,
    /// Somebody ended the process.
    Terminate,
}

impl Interruption {
    /// The exit status of a run that it ended.
    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

impl From<Interruption> for ExitCode {
    fn from(interruption: Interruption) -> Self {
        Self::from(interruption.status())
    }
}

/// Both, caught from the moment this is made: one that comes while nobody waits is not lost.
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    /// Catches them from now on.
    #[cfg(unix)]
    pub(crate) fn catch() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate })
    }

    /// Catches them from now on.
    #[cfg(windows)]
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    /// The next one.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> Interruption {
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::Interrupt,
            _ = self.terminate.recv() => Interruption::Terminate,
        }
    }

    /// The next one.
    #[cfg(windows)]
    pub(crate) async fn next(&mut self) -> Interruption {
        let _ = self.interrupt.recv().await;
        Interruption::Interrupt
    }
}
