package io.sifr.testing;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Kinds of entries that only tests have. */
public final class TestKinds {
  /** Its value is appended to what the older versions come to, as of a merge operator. */
  public static final EntryKind APPEND =
      new EntryKind(13, "append") {
        @Override
        public boolean settles() {
          return false;
        }

        @Override
        public byte[] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
          byte[] before = older == null ? new byte[0] : older;
          byte[] both = Arrays.copyOf(before, before.length + value.length);
          System.arraycopy(value, 0, both, before.length, value.length);
          return both;
        }
      };

  /** A value after a byte that says whether it counts, as of a value that may have expired. */
  public static final EntryKind OPTIONAL =
      new EntryKind(14, "optional") {
        @Override
        public boolean allows(int valueLength) {
          return valueLength > 0;
        }

        @Override
        public byte @Nullable [] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
          return value[0] == 0 ? null : Arrays.copyOfRange(value, 1, value.length);
        }
      };

  /** These and those that there are. */
  public static final EntryKinds ALL =
      new EntryKinds(EntryKind.PUT, EntryKind.DELETE, APPEND, OPTIONAL);

  private TestKinds() {}
}
