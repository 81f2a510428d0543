/**
 * Examines SSTs apart from the reads of a store: what is left of damaged ones, layout and blocks
 * for dumps, and the check in the background, which reads a file a second time.
 */
@NullMarked
package io.sifr.internal.sst.inspect;

import org.jspecify.annotations.NullMarked;
