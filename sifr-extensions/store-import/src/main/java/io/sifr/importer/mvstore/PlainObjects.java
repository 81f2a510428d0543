package io.sifr.importer.mvstore;

import java.nio.ByteBuffer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ObjectDataType;

/**
 * Objects as MVStore's {@code ObjectDataType} stores them, without those that Java would
 * deserialize, which may run any code of the class path: a file is not trusted.
 */
final class PlainObjects extends BasicDataType<Object> {
  private static final int TYPE_ARRAY = 14;
  private static final int OF_BYTES = 1;
  private static final int TYPE_SERIALIZED_OBJECT = 19;

  private final ObjectDataType objects = new ObjectDataType();

  @Override
  public Object read(ByteBuffer buffer) {
    int at = buffer.position();
    int tag = buffer.get(at);
    if (tag == TYPE_SERIALIZED_OBJECT || (tag == TYPE_ARRAY && buffer.get(at + 1) != OF_BYTES)) {
      throw new IllegalArgumentException("it has serialized objects or arrays, not only of bytes");
    }
    return objects.read(buffer);
  }

  @Override
  public int compare(Object a, Object b) {
    return objects.compare(a, b);
  }

  @Override
  public int getMemory(Object object) {
    return objects.getMemory(object);
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
