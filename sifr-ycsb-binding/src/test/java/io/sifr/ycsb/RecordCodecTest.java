package io.sifr.ycsb;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

class RecordCodecTest {
  private final RecordCodec codec = new RecordCodec();

  @Test
  void everyByteOfAFieldComesBack() {
    byte[] allBytes = new byte[256];
    for (int i = 0; i < allBytes.length; i++) {
      allBytes[i] = (byte) i;
    }
    Map<String, ByteIterator> fields = Fields.of("", "no name", "empty", "", "größe", "名前");
    fields.put("binary", new ByteArrayByteIterator(allBytes));

    Map<String, ByteIterator> decoded = decode(codec.encode(fields), null);

    assertThat(requireNonNull(decoded.remove("binary")).toArray()).isEqualTo(allBytes);
    assertThat(Fields.texts(decoded)).isEqualTo(Map.of("", "no name", "empty", "", "größe", "名前"));
  }

  @Test
  void lengthsOfEveryWidthComeBack() {
    for (int length : new int[] {0, 1, 127, 128, 16383, 16384, 2097151, 2097152}) {
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) 7);
      Map<String, ByteIterator> fields = new HashMap<>();
      fields.put("f", new ByteArrayByteIterator(value));

      byte[] record = codec.encode(fields);

      assertThat(requireNonNull(decode(record, null).get("f")).toArray()).isEqualTo(value);
    }
  }

  @Test
  void aRecordOfTenFieldsCostsTwoBytesAFieldBesideNamesAndValues() {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < 10; i++) {
      fields.put("field" + i, new ByteArrayByteIterator(new byte[100]));
    }

    assertThat(codec.encode(fields)).hasSize(10 * (1 + 6 + 1 + 100));
  }

  @Test
  void onlyWantedFieldsComeBack() {
    byte[] record = codec.encode(Fields.of("a", "1", "b", "2", "c", "3"));

    assertThat(Fields.texts(decode(record, Set.of("b", "d")))).isEqualTo(Map.of("b", "2"));
    assertThat(Fields.texts(decode(record, Set.of()))).hasSize(3);
  }

  @Test
  void recordsWithOtherFieldsInTheSamePlacesAreNotMixedUp() {
    byte[] first = codec.encode(Fields.of("a", "1"));
    byte[] second = codec.encode(Fields.of("b", "2"));
    byte[] longer = codec.encode(new LinkedHashMap<>(Fields.of("ab", "3")));

    for (int round = 0; round < 2; round++) {
      assertThat(Fields.texts(decode(first, null))).isEqualTo(Map.of("a", "1"));
      assertThat(Fields.texts(decode(second, null))).isEqualTo(Map.of("b", "2"));
      assertThat(Fields.texts(decode(longer, null))).isEqualTo(Map.of("ab", "3"));
    }
  }

  @Test
  void aThousandFieldsComeBack() {
    Map<String, ByteIterator> fields = new HashMap<>();
    Map<String, String> expected = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      fields.put("field" + i, new ByteArrayByteIterator(new byte[] {'v'}));
      expected.put("field" + i, "v");
    }
    byte[] record = codec.encode(fields);

    assertThat(Fields.texts(decode(record, null))).isEqualTo(expected);
    assertThat(Fields.texts(decode(record, null))).isEqualTo(expected);
  }

  @Test
  void anyBytesGiveFieldsOrOneKindOfException() {
    byte[] sound = codec.encode(Fields.of("field0", "value", "field1", "x".repeat(200)));
    long seed = 20261120;
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = Arrays.copyOf(sound, random.nextInt(sound.length) + 1);
      bytes[random.nextInt(Math.min(bytes.length, 20))] = (byte) random.nextInt();
      try {
        decode(bytes, null);
      } catch (IllegalArgumentException e) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
    assertThat(refused).describedAs("seed %d", seed).isPositive();
  }

  @Test
  void aLengthBeyondTheEndIsNamedWithItsOffset() {
    assertThatThrownBy(() -> decode(new byte[] {1, 'a', 5, 'b'}, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the value of 4 bytes is not a record: bad length at byte 2");
    assertThatThrownBy(() -> decode(new byte[] {-1, -1, -1, -1, -1, -1}, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bad length at byte 0");
  }

  private Map<String, ByteIterator> decode(byte[] record, @Nullable Set<String> wanted) {
    Map<String, ByteIterator> target = new HashMap<>();
    codec.decode(record, wanted, target);
    return target;
  }
}
