package io.sifr.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.IndexCursor;
import io.sifr.internal.util.KeyText;
import io.sifr.spi.IndexExtractor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** Index extractors, and what an index with them has to find. */
public final class TestExtractors {
  /** The words of a value, which spaces separate. */
  public static final IndexExtractor WORDS =
      of(
          "words",
          (key, value) ->
              Arrays.stream(new String(value, UTF_8).split(" "))
                  .filter(word -> !word.isEmpty())
                  .map(word -> word.getBytes(UTF_8))
                  .toList());

  /** The value up to the first comma; of one without a comma nothing. */
  public static final IndexExtractor HEAD =
      of(
          "head",
          (key, value) -> {
            String text = new String(value, UTF_8);
            int comma = text.indexOf(',');
            return comma < 0 ? List.of() : List.of(text.substring(0, comma).getBytes(UTF_8));
          });

  private TestExtractors() {}

  /** An extractor. */
  public static IndexExtractor of(
      String name, BiFunction<byte[], byte[], Collection<byte[]>> keys) {
    return new IndexExtractor() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Collection<byte[]> indexKeys(byte[] key, byte[] value) {
        return keys.apply(key, value);
      }
    };
  }

  /** What an index has to find: index keys and keys, in its order. */
  public static List<String> expected(Cursor opened, IndexExtractor extractor) {
    TreeSet<byte[][]> found =
        new TreeSet<>(
            (a, b) -> {
              int order = Arrays.compareUnsigned(a[0], b[0]);
              return order != 0 ? order : Arrays.compareUnsigned(a[1], b[1]);
            });
    try (Cursor cursor = opened) {
      while (cursor.next()) {
        for (byte[] indexKey : extractor.indexKeys(cursor.key(), cursor.value())) {
          found.add(new byte[][] {indexKey, cursor.key()});
        }
      }
    }
    return found.stream().map(each -> text(each[0], each[1])).toList();
  }

  /** As above, of a database as it is. */
  public static List<String> expected(Database database, IndexExtractor extractor) {
    return expected(database.cursor(), extractor);
  }

  /** What an index finds. */
  public static List<String> found(IndexCursor opened) {
    List<String> found = new ArrayList<>();
    try (IndexCursor cursor = opened) {
      while (cursor.next()) {
        found.add(text(cursor.indexKey(), cursor.key()));
      }
    }
    return found;
  }

  /** The same, read backwards. */
  public static List<String> foundBackwards(IndexCursor opened) {
    List<String> found = new ArrayList<>();
    try (IndexCursor cursor = opened) {
      while (cursor.previous()) {
        found.add(0, text(cursor.indexKey(), cursor.key()));
      }
    }
    return found;
  }

  private static String text(byte[] indexKey, byte[] key) {
    return KeyText.of(indexKey) + " " + KeyText.of(key);
  }
}
