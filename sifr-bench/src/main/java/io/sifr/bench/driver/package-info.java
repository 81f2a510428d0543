/**
 * Runs workloads against one store in this process and says what they cost. Begin reading at {@link
 * io.sifr.bench.driver.StoreRun}.
 */
@NullMarked
package io.sifr.bench.driver;

import org.jspecify.annotations.NullMarked;
