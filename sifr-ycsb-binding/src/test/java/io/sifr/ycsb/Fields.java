package io.sifr.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;

/** Fields of YCSB records, to and from what tests can write down and compare. */
final class Fields {
  private Fields() {}

  /** Fields from pairs of name and value. */
  static Map<String, ByteIterator> of(String... namesAndValues) {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      byte[] value = namesAndValues[i + 1].getBytes(StandardCharsets.UTF_8);
      fields.put(namesAndValues[i], new ByteArrayByteIterator(value));
    }
    return fields;
  }

  /** The fields with their values as text; reads the iterators. */
  static Map<String, String> texts(Map<String, ByteIterator> fields) {
    Map<String, String> texts = new TreeMap<>();
    fields.forEach(
        (name, value) -> texts.put(name, new String(value.toArray(), StandardCharsets.UTF_8)));
    return texts;
  }
}
