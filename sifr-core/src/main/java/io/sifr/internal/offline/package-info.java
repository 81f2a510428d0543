/** The only access of tools to the files of a store that is not open. */
@NullMarked
package io.sifr.internal.offline;

import org.jspecify.annotations.NullMarked;
