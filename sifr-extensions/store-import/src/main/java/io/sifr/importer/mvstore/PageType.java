package io.sifr.importer.mvstore;

import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.DataType;

/**
 * The values of a page, which are the last in it: bytes that are left mean that keys or values were
 * not stored by the types that they are read with.
 */
final class PageType extends BasicDataType<Object> {
  private final DataType<Object> type;

  PageType(DataType<Object> type) {
    this.type = type;
  }

  @Override
  public void read(ByteBuffer buffer, Object storage, int length) {
    Object[] values = cast(storage);
    for (int i = 0; i < length; i++) {
      values[i] = type.read(buffer);
    }
    if (buffer.hasRemaining()) {
      throw new IllegalArgumentException("its pages have more bytes than keys and values");
    }
  }

  @Override
  public Object read(ByteBuffer buffer) {
    return type.read(buffer);
  }

  @Override
  public int getMemory(Object object) {
    return type.getMemory(object);
  }

  @Override
  public void write(WriteBuffer buffer, Object object) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object[] createStorage(int size) {
    return new Object[size];
  }
}
