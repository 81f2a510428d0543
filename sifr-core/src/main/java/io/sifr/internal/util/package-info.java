/**
 * Small utilities without knowledge of the store: bytes, variable-length integers, named threads.
 *
 * <p>May use nothing but {@code io.sifr.error}.
 */
@NullMarked
package io.sifr.internal.util;

import org.jspecify.annotations.NullMarked;
