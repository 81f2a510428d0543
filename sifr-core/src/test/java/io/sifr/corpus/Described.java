package io.sifr.corpus;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import com.google.common.io.BaseEncoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The entries of a store as lines of text: database, key and value, with tabs between. */
final class Described {
  private static final int LONGEST = 64;

  private Described() {}

  /** Digits of the bytes, or of their SHA-256 if they are many. */
  static String bytes(byte[] bytes) {
    return bytes.length <= LONGEST
        ? BaseEncoding.base16().lowerCase().encode(bytes)
        : "sha256:" + Hashing.sha256().hashBytes(bytes);
  }

  static void write(Map<String, Map<String, String>> content, Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    content.forEach(
        (database, entries) -> {
          lines.add(database);
          entries.forEach((key, value) -> lines.add(database + "\t" + key + "\t" + value));
        });
    Files.write(file, lines, UTF_8);
  }

  static Map<String, Map<String, String>> read(Path file) throws IOException {
    Map<String, Map<String, String>> content = new TreeMap<>();
    for (String line : Files.readAllLines(file, UTF_8)) {
      String[] parts = line.split("\t", -1);
      Map<String, String> entries = content.computeIfAbsent(parts[0], name -> new TreeMap<>());
      if (parts.length > 1) {
        entries.put(parts[1], parts[2]);
      }
    }
    return content;
  }
}
