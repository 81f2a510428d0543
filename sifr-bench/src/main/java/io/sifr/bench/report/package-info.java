/**
 * Reports: what they consist of, and how they become HTML and Markdown. Independent of
 * measurements, and of stores except for their versions. Start with {@link
 * io.sifr.bench.report.Report}.
 */
@NullMarked
package io.sifr.bench.report;

import org.jspecify.annotations.NullMarked;
