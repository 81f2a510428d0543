package io.sifr;

import io.sifr.internal.util.Bytes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Shows tests where a range begins. */
public final class TestRanges {
  private TestRanges() {}

  /** Appends ranges and entries to a file, each range before the first entry in it. */
  public static void append(
      SstFileWriter writer,
      Collection<KeyRange> ranges,
      Collection<byte[]> keys,
      Consumer<byte[]> entry) {
    Deque<KeyRange> left =
        ranges.stream()
            .sorted(Comparator.comparing(TestRanges::from, Arrays::compareUnsigned))
            .collect(Collectors.toCollection(ArrayDeque::new));
    for (byte[] key : keys) {
      while (!left.isEmpty() && Arrays.compareUnsigned(from(left.getFirst()), key) <= 0) {
        writer.deleteRange(left.removeFirst());
      }
      entry.accept(key);
    }
    left.forEach(writer::deleteRange);
  }

  /** Its first key. */
  public static byte[] from(KeyRange range) {
    byte[] from = range.from();
    return from == null ? Bytes.EMPTY : from;
  }
}
