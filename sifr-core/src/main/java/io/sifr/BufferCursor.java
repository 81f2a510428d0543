package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.util.BufferKind;

/**
 * A cursor that can also take keys from buffers and copy entries into them, see {@link BufferView}.
 *
 * @param <B> the type of the buffers
 */
public final class BufferCursor<B> extends Cursor {
  private final BufferKind<B> kind;

  BufferCursor(EntryCursor handle, BufferKind<B> kind) {
    super(handle);
    this.kind = kind;
  }

  /**
   * Moves to the first entry of the range at or after {@code key}. Returns whether there is one.
   */
  @CanIgnoreReturnValue
  public boolean seek(B key) {
    return seek(kind.bytes(Arguments.notNull("key", key)));
  }

  /** Moves to the last entry of the range before {@code key}. Returns whether there is one. */
  @CanIgnoreReturnValue
  public boolean seekBefore(B key) {
    return seekBefore(kind.bytes(Arguments.notNull("key", key)));
  }

  /** Appends the key, as {@link #copyValue} does the value. Returns the bytes of the key. */
  @CanIgnoreReturnValue
  public int copyKey(B target) {
    ByteBuf room = kind.writable(Arguments.notNull("target", target));
    int length = handle().copyKey(room);
    kind.wasAppended(target, room);
    return length;
  }

  /**
   * Appends the value to the caller's buffer, if it has room for it, as {@link
   * BufferView#get(Object, Object, ReadOptions)} does. Only when {@link #isValid}.
   *
   * @return bytes of the value, also if they did not fit
   */
  @CanIgnoreReturnValue
  public int copyValue(B target) {
    ByteBuf room = kind.writable(Arguments.notNull("target", target));
    int length = handle().copyValue(room);
    kind.wasAppended(target, room);
    return length;
  }
}
