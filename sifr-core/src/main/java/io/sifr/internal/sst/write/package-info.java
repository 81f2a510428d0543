/** The writer of an SST: fills and encodes data blocks, then adds index, filter and properties. */
@NullMarked
package io.sifr.internal.sst.write;

import org.jspecify.annotations.NullMarked;
