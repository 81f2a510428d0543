package io.sifr.importer.mvstore;

import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.IntegerDataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;

/** The form in which MVStore has stored keys or values: the type that a map was opened with. */
enum StoredType {
  /** Each with its type, {@code ObjectDataType}, which is the default of MVStore. */
  OBJECTS,
  /** {@code ByteArrayDataType}. */
  BYTES,
  /** {@code StringDataType}. */
  STRINGS,
  /** {@code IntegerDataType}. */
  INTEGERS,
  /** {@code LongDataType}. */
  LONGS;

  @SuppressWarnings("unchecked") // only what it has read is given to it
  DataType<Object> type() {
    DataType<?> type =
        switch (this) {
          case OBJECTS -> new PlainObjects();
          case BYTES -> ByteArrayDataType.INSTANCE;
          case STRINGS -> StringDataType.INSTANCE;
          case INTEGERS -> IntegerDataType.INSTANCE;
          case LONGS -> LongDataType.INSTANCE;
        };
    return (DataType<Object>) type;
  }
}
