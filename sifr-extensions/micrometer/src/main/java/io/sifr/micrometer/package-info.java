/**
 * Metrics of Sifr stores for Micrometer. Start with {@link io.sifr.micrometer.SifrMetrics}, which
 * shows the statistics of a store; {@link io.sifr.micrometer.SifrTimers} times its flushes,
 * compactions and stalls, {@link io.sifr.micrometer.SifrSpans} makes spans of them. May use only
 * the public packages of the store.
 */
@NullMarked
package io.sifr.micrometer;

import org.jspecify.annotations.NullMarked;
