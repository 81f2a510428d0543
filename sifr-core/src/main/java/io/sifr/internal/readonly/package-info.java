/** Opens a store to be read only, beside the process that writes to it. */
@NullMarked
package io.sifr.internal.readonly;

import org.jspecify.annotations.NullMarked;
