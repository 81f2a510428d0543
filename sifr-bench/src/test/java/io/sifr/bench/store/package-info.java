/** Tests of the stores under test: that all of them do the same, and what their terms promise. */
@NullMarked
package io.sifr.bench.store;

import org.jspecify.annotations.NullMarked;
