package io.sifr.internal.sst.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.read.InMemoryFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AlignedReadsTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;
  private static final Path FILE = Path.of("file");

  private final long memoryBefore = BlockMemory.bytesInUse();
  private final InMemoryFileSystem files = new InMemoryFileSystem();

  /** A target of any address is filled, and the file sees aligned ones only: it checks that. */
  @Test
  void fillMemoryOfAnyAddress() {
    byte[] content = new byte[40 * PAGE];
    new Random(1).nextBytes(content);
    files.put(FILE, content);
    ByteBuffer memory = ByteBuffer.allocateDirect(35 * PAGE);
    try (RandomReadFile file = new AlignedReads(files.openForDirectRead(FILE))) {
      assertThat(file.size()).isEqualTo(content.length);
      for (int address : new int[] {0, 1, 16, 64, 4095, 4096}) {
        for (int pages : new int[] {1, 2, 33}) {
          ByteBuffer target = memory.clear().position(address).limit(address + pages * PAGE);
          file.readFully(target, 3 * PAGE);
          assertThat(target.hasRemaining()).isFalse();
          byte[] read = new byte[pages * PAGE];
          memory.get(address, read);
          assertThat(read).isEqualTo(Arrays.copyOfRange(content, 3 * PAGE, (3 + pages) * PAGE));
        }
      }
    }
    assertThat(BlockMemory.bytesInUse()).isEqualTo(memoryBefore);
  }

  @Test
  void giveTheirMemoryBackWhenAReadFails() {
    files.put(FILE, new byte[PAGE]);
    try (RandomReadFile file = new AlignedReads(files.openForDirectRead(FILE))) {
      assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(2 * PAGE), 0))
          .isInstanceOf(CorruptionException.class);
    }
    assertThat(BlockMemory.bytesInUse()).isEqualTo(memoryBefore);
  }
}
