package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;

/**
 * See {@link Codecs#enums}.
 *
 * @param constants all of an enum, in their order
 */
record EnumCodec<E>(List<E> constants) implements OrderedCodec<E> {
  @Override
  public byte[] encode(E value) {
    int number = constants.indexOf(value);
    if (number < 0) {
      throw new IllegalArgumentException(value + " is none of " + constants);
    }
    return ByteBuffer.allocate(Short.BYTES).putShort((short) number).array();
  }

  @Override
  public E decode(byte[] bytes) {
    if (bytes.length != Short.BYTES) {
      throw new IllegalArgumentException(
          "no constant: " + bytes.length + " bytes, not " + Short.BYTES);
    }
    int number = Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort());
    if (number >= constants.size()) {
      throw new IllegalArgumentException(
          "no constant: number " + number + ", and there are " + constants);
    }
    return constants.get(number);
  }

  @Override
  public Comparator<? super E> comparator() {
    return Comparator.comparingInt(constants::indexOf);
  }

  @Override
  public int fixedLength() {
    return Short.BYTES;
  }
}
