package io.sifr.internal.entry;

import io.sifr.error.MergeOperatorException;
import io.sifr.internal.util.KeyText;
import io.sifr.spi.MergeOperator;
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
          new ExpiringKind(InstantSource.system()),
          new SeparatedKind(InstantSource.system(), EntryKinds::refuse));

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

  /** The kind of the values that are in value files. */
  public SeparatedKind separated() {
    return byCode[SeparatedKind.CODE] instanceof SeparatedKind kind ? kind : STANDARD.separated();
  }

  private static void refuse(
      SeparatedKind.Reference reference, byte[] key, int from, int length, byte[] into, int at) {
    throw new IllegalStateException("no store in which to look for file " + reference.file());
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
   * Checks the same of an operation in a log.
   *
   * @throws IllegalArgumentException when it cannot have that length
   */
  public void requireLogged(int code, int valueLength) {
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

  /**
   * An operand of a merge operator, which changes what the older versions of its key come to.
   *
   * <p>Without an operator, or with one that is not registered, such entries are stored and copied
   * as all others, but cannot be resolved.
   */
  public static final class MergeKind extends EntryKind {
    /** Of no database in particular. */
    static final MergeKind WITHOUT_OPERATOR = new MergeKind("", null, null);

    /** Its code. */
    public static final int CODE = 3;

    private final String database;
    private final @Nullable String operatorName;
    private final @Nullable MergeOperator operator;

    /**
     * The kind in one database.
     *
     * @param database its name
     * @param operatorName the operator it should have; null for none
     * @param operator null as well if it is not registered
     */
    public MergeKind(
        String database, @Nullable String operatorName, @Nullable MergeOperator operator) {
      super(CODE, "merge");
      this.database = database;
      this.operatorName = operatorName;
      this.operator = operator;
    }

    @Override
    public boolean settles() {
      return false;
    }

    @Override
    public byte[] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
      MergeOperator present = required("key " + KeyText.of(key) + " cannot be read: ");
      return checked(key, call(key, () -> present.merge(key, older, value)));
    }

    @Override
    public byte @Nullable [] combine(byte[] key, byte[] older, byte[] newer) {
      MergeOperator present = operator;
      if (present == null) {
        return null;
      }
      byte[] both = call(key, () -> present.combine(key, older, newer));
      return both == null ? null : checked(key, both);
    }

    /**
     * Checks an operand that is about to be written.
     *
     * @throws IllegalArgumentException when the operator refuses it
     * @throws IllegalStateException when the database has no operator
     * @throws MergeOperatorException when it is not registered
     */
    public void validate(byte[] operand) {
      if (operatorName == null) {
        throw new IllegalStateException(
            "database "
                + database
                + " has no merge operator; DatabaseOptions.mergeOperator gives it one");
      }
      required("").validate(operand);
    }

    private MergeOperator required(String prefix) {
      if (operator == null) {
        throw new MergeOperatorException(
            prefix
                + (operatorName == null
                    ? of("it has operands, but no merge operator")
                    : of("the merge operator \"" + operatorName + "\" is not registered")),
            null);
      }
      return operator;
    }

    private String of(String what) {
      return (database.isEmpty() ? "" : "in database \"" + database + "\", ") + what;
    }

    private interface Call {
      byte @Nullable [] run();
    }

    private byte @Nullable [] call(byte[] key, Call call) {
      try {
        return call.run();
      } catch (RuntimeException | Error e) {
        throw failed(key, "has failed: " + e, e);
      }
    }

    private byte[] checked(byte[] key, byte @Nullable [] result) {
      if (result == null) {
        throw failed(key, "has returned null", null);
      }
      if (result.length > EntryLimits.MAX_VALUE_BYTES) {
        throw failed(
            key,
            "has made a value of "
                + result.length
                + " bytes; allowed: up to "
                + EntryLimits.MAX_VALUE_BYTES,
            null);
      }
      return result;
    }

    private MergeOperatorException failed(byte[] key, String how, @Nullable Throwable cause) {
      return new MergeOperatorException(
          of("the merge operator \"" + operatorName + "\" ") + how + ", for key " + KeyText.of(key),
          cause);
    }
  }
}
