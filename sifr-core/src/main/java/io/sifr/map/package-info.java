/**
 * A {@link io.sifr.Database} as a {@link java.util.concurrent.ConcurrentNavigableMap} of objects:
 * {@link io.sifr.map.SifrMap}, and {@link io.sifr.map.Codecs} for its keys and values.
 */
@NullMarked
@CheckReturnValue
package io.sifr.map;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
