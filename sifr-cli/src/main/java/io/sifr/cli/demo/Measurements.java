package io.sifr.cli.demo;

import io.sifr.cli.report.StatisticsReport;
import java.util.List;

/**
 * The measurements before the crash.
 *
 * @param phases in the order they were done
 * @param drainNanos time from the last put of the load until its flushes and compactions were done
 * @param peakDiskBytes largest number of bytes of the store's files until then
 * @param afterLoad statistics of that moment
 */
record Measurements(
    List<PhaseResult> phases, long drainNanos, long peakDiskBytes, StatisticsReport afterLoad) {}
