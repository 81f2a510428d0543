/**
 * The public interface of the store: open a {@link io.sifr.Store}, get a {@link io.sifr.Database}
 * from it, read and write it, and iterate over it with a {@link io.sifr.Cursor}.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *   Database database = store.database();
 *   database.put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
 *   byte[] colour = database.get("apple".getBytes(UTF_8));
 * }
 * }</pre>
 *
 * <p>Keys are ordered byte by byte, unsigned. A key has 0 to 65536 bytes, a value 0 to 536870912
 * (512 MiB).
 */
@NullMarked
@CheckReturnValue
package io.sifr;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
