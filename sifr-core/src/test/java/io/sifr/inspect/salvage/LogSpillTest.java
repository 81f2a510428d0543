package io.sifr.inspect.salvage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.inspect.CheckProgress;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes.VarInts;
import io.sifr.internal.wal.Operations;
import io.sifr.testing.DrawnStore;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that does not fit into memory is sorted in pieces. */
class LogSpillTest {
  private static final long MEMORY_BYTES = 16 << 10;

  @TempDir Path directory;

  @Test
  void whatWasAddedComesBackInOrder() {
    Random random = new Random(3);
    LogSpill spill = new LogSpill(DrawnStore.FILES, directory, MEMORY_BYTES);
    Map<String, Map<byte[], Long>> newest = new TreeMap<>();
    int count = 5000;
    for (int sequence = 1; sequence <= count; sequence++) {
      String database = random.nextInt(4) == 0 ? "b" : "a";
      byte[] key = {'k', (byte) random.nextInt(40), (byte) random.nextInt(40)};
      // One entry alone may be larger than what is kept in memory.
      byte[] value = new byte[sequence == 100 ? 2 * (int) MEMORY_BYTES : random.nextInt(30)];
      spill.add(database, sequence, operation(key, value));
      newest
          .computeIfAbsent(database, d -> new TreeMap<>(Arrays::compareUnsigned))
          .put(key, (long) sequence);
    }

    Map<String, List<SalvagedSst>> written = spill.finish();

    assertThat(written.keySet()).isEqualTo(newest.keySet());
    assertThat(written.get("a")).hasSizeGreaterThan(10);
    long found = 0;
    for (Map.Entry<String, Map<byte[], Long>> database : newest.entrySet()) {
      SalvageMeter meter = new SalvageMeter(CheckProgress.NONE, 0);
      List<SalvagedSst> ssts = written.getOrDefault(database.getKey(), List.of());
      Map<byte[], Long> latest = new TreeMap<>(Arrays::compareUnsigned);
      for (SalvagedRun run : SalvagedRun.over(ssts, meter)) {
        try (run) {
          for (boolean more = run.seekToFirst(); more; more = run.next()) {
            byte[] key = Arrays.copyOf(run.keyArray(), run.keyLength());
            latest.merge(key, Trailer.sequence(run.trailer()), Math::max);
            found++;
          }
        }
      }
      assertThat(latest).isEqualTo(database.getValue());
    }
    assertThat(found).isEqualTo(count);
  }

  private static Operations.Reader operation(byte[] key, byte[] value) {
    byte[] bytes = new byte[20 + key.length + value.length];
    int at = VarInts.put(bytes, 0, 1);
    at = VarInts.put(bytes, at, key.length);
    System.arraycopy(key, 0, bytes, at, key.length);
    at = VarInts.put(bytes, at + key.length, (long) value.length << 4 | EntryKind.PUT.code());
    System.arraycopy(value, 0, bytes, at, value.length);
    Operations.Reader reader = new Operations.Reader();
    reader.reset(bytes, 0, at + value.length);
    assertThat(reader.next()).isTrue();
    return reader;
  }
}
