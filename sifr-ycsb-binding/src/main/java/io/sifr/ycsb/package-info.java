/** The binding through which YCSB drives a store. */
@NullMarked
package io.sifr.ycsb;

import org.jspecify.annotations.NullMarked;
