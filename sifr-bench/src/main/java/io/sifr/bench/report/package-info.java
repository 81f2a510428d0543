/**
 * Reports: what they consist of, and how they become HTML and Markdown. Knows nothing of stores but
 * their versions, and nothing of measurements. Begin reading at {@link
 * io.sifr.bench.report.Report}.
 */
@NullMarked
package io.sifr.bench.report;

import org.jspecify.annotations.NullMarked;
