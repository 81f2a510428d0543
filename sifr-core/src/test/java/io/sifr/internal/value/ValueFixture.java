package io.sifr.internal.value;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.ReadMeter;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Value files in a directory of a test. */
final class ValueFixture {
  static final long NUMBER = 7;
  static final long UNIQUE_ID = 0x0123456789abcdefL;
  static final int DATABASE = 1;

  final DiskFileSystem fileSystem = new DiskFileSystem();
  final Path directory;

  ValueFixture(Path directory) {
    this.directory = directory;
  }

  Path path() {
    return FileKind.VALUES.path(directory, NUMBER);
  }

  ValueFiles files() {
    return new ValueFiles(fileSystem, directory, Codecs::withId);
  }

  ValueFile open() {
    return ValueFile.open(
        fileSystem, directory, NUMBER, Codecs::withId, new ReadMeter(), () -> false);
  }

  static Entry put(String key, long sequence, byte[] value) {
    return Entry.of(bytes(key), sequence, EntryKind.PUT, value);
  }

  static Entry expiring(String key, long sequence, long due, byte[] value) {
    byte[] stored = ByteBuffer.allocate(Long.BYTES + value.length).putLong(due).put(value).array();
    return Entry.of(bytes(key), sequence, EntryKinds.STANDARD.expiring(), stored);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Writes a file and returns where each value is. */
  List<Reference> write(BlockCodec codec, List<Entry> entries) {
    List<Reference> references = new ArrayList<>();
    try (ValueFiles files = files();
        ValueWriter writer = files.create(NUMBER, UNIQUE_ID, DATABASE, codec);
        ListEntryIterator at = new ListEntryIterator(entries)) {
      for (boolean more = at.seekToFirst(); more; more = at.next()) {
        references.add(writer.add(at));
      }
      writer.finish();
    }
    return references;
  }

  byte[] content() throws IOException {
    return Files.readAllBytes(path());
  }
}
