/**
 * Examines SSTs apart from the reads of a store: the remains of damaged ones, layouts and blocks
 * for dumps, and the check of index and filter against a second reading.
 */
@NullMarked
package io.sifr.internal.sst.inspect;

import org.jspecify.annotations.NullMarked;
