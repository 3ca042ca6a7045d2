//! How far the scan of a project is, for whoever waits for it.

use std::{
    future::Future,
    io::{self, IsTerminal, Write},
    pin::pin,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ouro_tools::ScanProgress;
use rust_i18n::t;

use crate::args::Global;

/// How often the moving line is drawn.
pub(crate) const TICK: Duration = Duration::from_millis(120);

/// Ticks until the first line about a scan where nothing moves, about a second: most scans are over before.
const TICKS_TO_FIRST_LINE: u32 = 8;

/// Ticks between two such lines: some ten seconds.
const TICKS_PER_LINE: u32 = 80;

/// The line that moves while something is done; hidden where nobody would see it move.
pub(crate) fn moving_line(global: &Global) -> ProgressBar {
    let moving = !global.json && io::stderr().is_terminal() && !crate::output::is_plain();
    let target = if moving { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let line = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        line.set_style(style);
    }
    line
}

/// Waits for what scans a project, on a moving line of its own.
pub(crate) async fn wait<T>(
    global: &Global,
    scan: &ScanProgress,
    work: impl Future<Output = T>,
) -> T {
    let line = moving_line(global);
    let done = wait_on(&line, global, scan, work).await;
    line.finish_and_clear();
    done
}

/// Waits for what scans a project, and says meanwhile how far it is: on the moving line, or in a line now and then.
pub(crate) async fn wait_on<T>(
    line: &ProgressBar,
    global: &Global,
    scan: &ScanProgress,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    let mut ticks = tokio::time::interval(TICK);
    let mut tick = 0;
    loop {
        tokio::select! {
            done = &mut work => return done,
            _ = ticks.tick() => {
                let text = || message(scan.found(), scan.read(), global.language().tag());
                if !line.is_hidden() {
                    line.set_message(text());
                    line.tick();
                } else if is_line_due(tick) && !global.json {
                    let _ = writeln!(io::stderr(), "{}", text());
                }
                tick += 1;
            }
        }
    }
}

fn is_line_due(tick: u32) -> bool {
    tick == TICKS_TO_FIRST_LINE || tick > 0 && tick.is_multiple_of(TICKS_PER_LINE)
}

/// What a scan does now: it looks for files first, then reads them.
fn message(found: usize, (read, to_read): (usize, usize), locale: &str) -> String {
    match to_read {
        0 => t!("progress.finding", locale = locale, count = found),
        all => t!("progress.reading", locale = locale, count = read, all = all),
    }
    .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_says_what_it_looks_for_and_then_how_much_is_read() {
        assert_eq!(message(7, (0, 0), "en"), "Looking for files: 7 found");
        assert_eq!(message(7, (2, 5), "en"), "Reading the files of the project: 2 of 5");
        assert_eq!(message(7, (2, 5), "zh-CN"), "正在读取项目：2 / 5 个文件");
    }

    #[test]
    fn a_scan_of_a_second_is_told_in_a_line_and_a_long_one_every_ten_seconds() {
        let due: Vec<f32> = (0..200_u16)
            .filter(|tick| is_line_due(u32::from(*tick)))
            .map(|tick| f32::from(tick) * TICK.as_secs_f32())
            .collect();
        assert_eq!(due.len(), 3, "{due:?}");
        assert!(due[0] < 1.5 && (due[1] - 10.0).abs() < 1.0 && (due[2] - 20.0).abs() < 1.0);
    }
}
