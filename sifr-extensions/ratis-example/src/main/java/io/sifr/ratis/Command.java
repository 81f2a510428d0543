package io.sifr.ratis;

import java.util.List;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * A request of a client. Puts and deletes stand in Raft's log as well.
 *
 * @param key of {@link Kind#SCAN} the prefix
 * @param value of {@link Kind#PUT}; else empty
 */
record Command(Kind kind, ByteString key, ByteString value) {
  /** The longest key that a store takes. */
  private static final int LONGEST_KEY = 65_536;

  /** Kinds of commands; their names are written. */
  enum Kind {
    PUT,
    DELETE,
    GET,
    SCAN;

    boolean isChange() {
      return this == PUT || this == DELETE;
    }
  }

  /**
   * Checks all that a store would refuse: what is in the log must be possible on every server.
   *
   * @throws IllegalArgumentException when the key is too long
   */
  Command {
    if (key.size() > LONGEST_KEY) {
      throw new IllegalArgumentException("a key has at most " + LONGEST_KEY + " bytes");
    }
  }

  Command(Kind kind, ByteString key) {
    this(kind, key, ByteString.EMPTY);
  }

  Message message() {
    return Parts.message(List.of(ByteString.copyFromUtf8(kind.name()), key, value));
  }

  /**
   * The command of a message.
   *
   * @throws IllegalArgumentException when it holds none
   */
  static Command of(ByteString message) {
    List<ByteString> parts = Parts.of(message);
    if (parts.size() != 3) {
      throw new IllegalArgumentException("not a command: " + parts.size() + " parts");
    }
    return new Command(Kind.valueOf(parts.get(0).toStringUtf8()), parts.get(1), parts.get(2));
  }
}
