package io.sifr.ratis;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Byte strings in a row, each after its length: what all messages here are made of. */
final class Parts {
  private Parts() {}

  static Message message(List<ByteString> parts) {
    int bytes = parts.stream().mapToInt(part -> Integer.BYTES + part.size()).sum();
    ByteBuffer joined = ByteBuffer.allocate(bytes);
    for (ByteString part : parts) {
      joined.putInt(part.size()).put(part.asReadOnlyByteBuffer());
    }
    return Message.valueOf(ByteString.copyFrom(joined.flip()));
  }

  /**
   * The parts of a message.
   *
   * @throws IllegalArgumentException when it is not made of parts
   */
  static List<ByteString> of(ByteString message) {
    List<ByteString> parts = new ArrayList<>();
    ByteBuffer joined = message.asReadOnlyByteBuffer();
    try {
      while (joined.hasRemaining()) {
        int length = joined.getInt();
        int from = joined.position();
        parts.add(message.substring(from, from + length));
        joined.position(from + length);
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("not a message of this program", e);
    }
    return parts;
  }
}
