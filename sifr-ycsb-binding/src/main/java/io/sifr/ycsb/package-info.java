/**
 * The binding through which the Yahoo! Cloud Serving Benchmark runs on a Sifr store. A table is a
 * named database of one store, a record is one value with all its fields. May use only the public
 * packages of the store.
 *
 * <p>Start with {@link io.sifr.ycsb.SifrClient}, the class that YCSB loads.
 */
@NullMarked
package io.sifr.ycsb;

import org.jspecify.annotations.NullMarked;
