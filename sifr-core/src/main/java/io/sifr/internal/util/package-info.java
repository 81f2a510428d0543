/**
 * Small utilities without knowledge of the store: bytes, keys, variable-length integers, failures.
 *
 * <p>May use nothing but {@code io.sifr.error}.
 */
@NullMarked
package io.sifr.internal.util;

import org.jspecify.annotations.NullMarked;
