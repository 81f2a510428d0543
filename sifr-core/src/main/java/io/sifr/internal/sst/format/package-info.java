/**
 * The bytes of SSTs, which are sorted, immutable files of about one split unit (TPDS §4.1; aligned
 * storage, §5.2): the parts of a file with their encoding and checks, and what the manifest knows
 * of a file. Lowest of the five packages of SSTs: reads and writes no file itself.
 */
@NullMarked
package io.sifr.internal.sst.format;

import org.jspecify.annotations.NullMarked;
