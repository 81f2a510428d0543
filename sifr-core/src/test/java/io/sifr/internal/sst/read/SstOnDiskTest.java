package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.sst.write.SstWriter;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Through the real files and mappings, whose buffers are not those of the other tests. */
class SstOnDiskTest {
  private final DiskFileSystem fs = new DiskFileSystem();
  @TempDir private Path directory;

  private SstAccess access() {
    return SstAccess.mapped(fs, directory, BlockCodecs.STANDARD);
  }

  private SstMeta write(List<Entry> entries, long number) {
    try (SstWriter writer =
            new SstWriter(
                access(), number, number * 31, 0, Codecs.NONE, SstWriter.newStaging(), null);
        EntryIterator source = new ListEntryIterator(entries)) {
      for (boolean more = source.seekToFirst(); more; more = source.next()) {
        writer.add(source);
      }
      return writer.finish(null, 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsWhatWasWritten(Shape shape) {
    for (int seed = 0; seed < 5; seed++) {
      List<Entry> entries = SstFixture.draw(new Random(seed), shape, 300);
      SstMeta meta = write(entries, seed + 1);
      try (SstReader reader = SstReader.open(access(), meta)) {
        reader.verify();
        assertThat(SstFixture.readForwards(reader.iterator()))
            .describedAs("seed %d", seed)
            .isEqualTo(entries);
        assertThat(SstFixture.readBackwards(reader.iterator()))
            .describedAs("seed %d", seed)
            .isEqualTo(entries);
        for (Entry entry : entries) {
          assertThat(SstFixture.get(reader, entry.key(), entry.sequence()))
              .describedAs("seed %d", seed)
              .isEqualTo(entry);
        }
      }
    }
  }

  @Test
  void aFileCutShortIsRefused() throws IOException {
    SstMeta meta = write(SstFixture.draw(new Random(1), Shape.NUMBERS, 300), 1);
    Path file = directory.resolve("000000000001.sst");
    byte[] content = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(content, content.length - 4096));
    assertThatThrownBy(() -> SstReader.open(access(), meta))
        .isInstanceOf(CorruptionException.class);
  }
}
