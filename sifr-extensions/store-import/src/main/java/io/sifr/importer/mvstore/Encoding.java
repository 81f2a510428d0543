package io.sifr.importer.mvstore;

import io.sifr.importer.SourceException;
import io.sifr.map.Codecs;
import io.sifr.spi.Codec;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Encodes the keys or the values of a map, which have the type of the first one. */
final class Encoding {
  private record Plain<T>(Class<T> type, Codec<T> codec, String name) {
    byte[] encode(Object object) {
      return codec.encode(type.cast(object));
    }
  }

  private static final List<Plain<?>> ALL =
      List.of(
          new Plain<>(byte[].class, Codecs.byteArrays(), "byteArrays"),
          new Plain<>(String.class, Codecs.strings(), "strings"),
          new Plain<>(Integer.class, Codecs.integers(), "integers"),
          new Plain<>(Long.class, Codecs.longs(), "longs"),
          new Plain<>(UUID.class, Codecs.uuids(), "uuids"));

  private final String what;
  private @Nullable Plain<?> used;

  /**
   * For a map of which nothing was read.
   *
   * @param what is encoded, for messages
   */
  Encoding(String what) {
    this.what = what;
  }

  byte[] encode(@Nullable Object object) throws SourceException {
    if (used == null) {
      used = ALL.stream().filter(plain -> plain.type().isInstance(object)).findFirst().orElse(null);
    }
    if (used == null || !used.type().isInstance(object)) {
      throw new SourceException(
          what
              + " have a "
              + (object == null ? "null" : object.getClass().getTypeName())
              + (used == null ? "" : " beside a " + used.type().getTypeName())
              + "; allowed is one of byte[], String, Integer, Long and UUID for all of a map");
    }
    return used.encode(object);
  }

  /** The method of {@link Codecs} that has the codec; "none" if there was nothing. */
  String codec() {
    return used == null ? "none" : used.name();
  }
}
