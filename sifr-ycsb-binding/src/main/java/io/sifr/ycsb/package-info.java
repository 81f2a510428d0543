/**
 * The binding through which the Yahoo! Cloud Serving Benchmark drives a Sifr store. A table is a
 * named database of one store, a record is one value that holds all its fields. May use the public
 * packages of the store alone.
 *
 * <p>Begin with {@link io.sifr.ycsb.SifrClient}, the class that YCSB is given.
 */
@NullMarked
package io.sifr.ycsb;

import org.jspecify.annotations.NullMarked;
