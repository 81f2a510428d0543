/**
 * Runs workloads on one store in this process and measures them. Start with {@link
 * io.sifr.bench.driver.StoreRun}.
 */
@NullMarked
package io.sifr.bench.driver;

import org.jspecify.annotations.NullMarked;
