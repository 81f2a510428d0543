package io.sifr.cli.demo;

import io.sifr.cli.report.StatisticsReport;

/**
 * What became of the store when the process that wrote to it was killed.
 *
 * @param acknowledged writes whose put had returned; all of them are there
 * @param unacknowledged writes that are there although nobody had heard of their return
 * @param openNanos time it took to open the store again
 * @param atEnd statistics after everything that was due was done
 */
record Crash(long acknowledged, long unacknowledged, long openNanos, StatisticsReport atEnd) {}
