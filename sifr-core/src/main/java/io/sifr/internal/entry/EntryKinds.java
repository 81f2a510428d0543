package io.sifr.internal.entry;

import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The kinds of entries that a store has. An entry of another kind is damage. Immutable. */
public final class EntryKinds {
  /** The kinds of the file formats, as far as they have a meaning without a database. */
  public static final EntryKinds STANDARD =
      new EntryKinds(
          EntryKind.PUT,
          EntryKind.DELETE,
          MergeKind.WITHOUT_OPERATOR,
          new ExpiringKind(InstantSource.system()));

  private final @Nullable EntryKind[] byCode = new EntryKind[1 << EntryKind.BITS];

  /** Creates a set of kinds with distinct codes. */
  public EntryKinds(EntryKind... kinds) {
    for (EntryKind kind : kinds) {
      byCode[kind.code()] = kind;
    }
  }

  /** These kinds, with another one in place of that with the same code. */
  public EntryKinds with(EntryKind kind) {
    EntryKinds changed = new EntryKinds(kind);
    for (EntryKind other : byCode) {
      if (other != null && other.code() != kind.code()) {
        changed.byCode[other.code()] = other;
      }
    }
    return changed;
  }

  /** The kind of the operands of a merge operator. */
  public MergeKind merge() {
    return byCode[MergeKind.CODE] instanceof MergeKind kind ? kind : MergeKind.WITHOUT_OPERATOR;
  }

  /** The kind of the values that expire. */
  public ExpiringKind expiring() {
    return byCode[ExpiringKind.CODE] instanceof ExpiringKind kind ? kind : STANDARD.expiring();
  }

  /** Whether an entry of the kind with that code can have a value of that length. */
  public boolean isAllowed(int code, int valueLength) {
    if (code == EntryKind.CODE_OF_PUT) {
      return true; // in every store, and nearly all entries are puts
    }
    EntryKind kind = byCode[code];
    return kind != null && kind.allows(valueLength);
  }

  /**
   * Checks the same.
   *
   * @throws IllegalArgumentException when it cannot have that length
   */
  public void requireAllowed(int code, int valueLength) {
    if (!isAllowed(code, valueLength)) {
      throw new IllegalArgumentException(notAllowed(code, valueLength));
    }
  }

  /** The message for an invalid entry. */
  public static String notAllowed(int code, int valueLength) {
    return "an entry of kind " + code + " with a value of " + valueLength + " bytes";
  }

  /**
   * The kind with that code.
   *
   * @throws IllegalArgumentException when there is none
   */
  public EntryKind ofCode(int code) {
    EntryKind kind = byCode[code];
    if (kind == null) {
      throw new IllegalArgumentException("there is no kind of entry with the code " + code);
    }
    return kind;
  }
}
