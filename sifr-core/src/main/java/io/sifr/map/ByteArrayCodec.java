package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.util.Arrays;
import java.util.Comparator;

/** See {@link Codecs#byteArrays}. */
enum ByteArrayCodec implements OrderedCodec<byte[]> {
  BYTE_ARRAYS;

  @Override
  public byte[] encode(byte[] value) {
    return value;
  }

  @Override
  public byte[] decode(byte[] bytes) {
    return bytes;
  }

  @Override
  public Comparator<? super byte[]> comparator() {
    return Arrays::compareUnsigned;
  }
}
