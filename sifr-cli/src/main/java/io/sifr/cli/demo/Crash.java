package io.sifr.cli.demo;

import io.sifr.cli.report.StatisticsReport;

/**
 * The state of the store after the process that wrote to it was killed.
 *
 * @param acknowledged writes whose put had returned; all of them are present
 * @param unacknowledged writes that are present although their return was never reported
 * @param openNanos time it took to reopen the store
 * @param atEnd statistics after all due flushes and compactions
 */
record Crash(long acknowledged, long unacknowledged, long openNanos, StatisticsReport atEnd) {}
