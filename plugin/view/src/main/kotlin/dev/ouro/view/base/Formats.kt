package dev.ouro.view.base

import java.time.Clock
import java.time.Instant
import java.time.LocalDate
import java.time.format.DateTimeFormatter

/** Points in time, spans and sizes as people read them. Unambiguous in every locale, and the same on every JDK. */
public class Formats(private val messages: Messages, private val clock: Clock = Clock.systemDefaultZone()) {
    /** Now, epoch milliseconds. */
    public fun now(): Long = clock.millis()

    /** `2026-11-22 14:03`. */
    public fun dateTime(epochMs: Long): String = MINUTE.format(Instant.ofEpochMilli(epochMs).atZone(clock.zone))

    /** `14:03` of this day, `11-20 14:03` of this year, else the whole of it. */
    public fun time(epochMs: Long): String {
        val then = day(epochMs)
        val today = day(now())
        val format = when {
            then == today -> CLOCK
            then.year == today.year -> SHORT
            else -> MINUTE
        }
        return format.format(Instant.ofEpochMilli(epochMs).atZone(clock.zone))
    }

    /** The local day. */
    public fun day(epochMs: Long): LocalDate = Instant.ofEpochMilli(epochMs).atZone(clock.zone).toLocalDate()

    /** `11-22`. */
    public fun shortDay(day: LocalDate): String = DAY.format(day)

    /** `0:07`, `12:40`, `1:02:03`: a running clock. */
    public fun clockTime(ms: Long): String {
        val seconds = ms.coerceAtLeast(0) / 1000
        val (h, m, s) = Triple(seconds / 3600, seconds / 60 % 60, seconds % 60)
        return if (h > 0) "%d:%02d:%02d".format(h, m, s) else "%d:%02d".format(m, s)
    }

    /** `240 ms`, `3.2 s`, `5 min`, `2 h`. */
    public fun span(ms: Long): String = when {
        ms < 1000 -> messages.text("unit.ms", ms.toString())
        ms < 60_000 -> messages.text("unit.s", "%.1f".format(messages.locale, ms / 1000.0))
        ms < 3_600_000 -> messages.text("unit.min", (ms / 60_000).toString())
        else -> messages.text("unit.h", (ms / 3_600_000).toString())
    }

    /** `86 %`. */
    public fun percent(share: Float): String = messages.text("unit.percent", Math.round(share * 100).toString())

    private companion object {
        val MINUTE: DateTimeFormatter = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")
        val SHORT: DateTimeFormatter = DateTimeFormatter.ofPattern("MM-dd HH:mm")
        val CLOCK: DateTimeFormatter = DateTimeFormatter.ofPattern("HH:mm")
        val DAY: DateTimeFormatter = DateTimeFormatter.ofPattern("MM-dd")
    }
}
