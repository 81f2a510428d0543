package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The order of syncs: value files, then their names, then what refers to them, log or manifest. A
 * crash shows another order only if the system writes the log before the values.
 */
class ValuesAreDurableFirstTest {
  private static final int LARGE = 10_000;
  private static final Tuning TUNING = Tuning.DEFAULT.withWriteValuesOnceFrom(LARGE / 4);

  @TempDir Path parent;

  /** At each sync of the log or a manifest all value files must be durable. */
  private static final class Order extends ForwardingFileSystem {
    /** Value files with bytes that are not durable, or without a durable name. */
    private final Set<String> notDurable = new TreeSet<>();

    private int ofLog;
    private int ofManifest;
    private int ofValues;
    private String wrong = "";

    /** What else manifests say, which numbers are given out, does not wait for values. */
    private boolean flushes;

    Order() {
      super(new DiskFileSystem());
    }

    private static boolean isValues(Path file) {
      return file.toString().endsWith(".values");
    }

    private synchronized void written(String what) {
      notDurable.add(what);
    }

    private synchronized void durable(String what) {
      ofValues += notDurable.remove(what) ? 1 : 0;
    }

    private synchronized void syncOf(Path file) {
      if (file.toString().endsWith(".wal")) {
        ofLog++;
      } else if (flushes && file.toString().endsWith(".manifest")) {
        ofManifest++;
      } else {
        return;
      }
      if (!notDurable.isEmpty() && wrong.isEmpty()) {
        wrong = file.getFileName() + " is synced before " + notDurable;
      }
    }

    private synchronized void flushesNow() {
      flushes = true;
    }

    private synchronized int syncsOfLog() {
      return ofLog;
    }

    private synchronized int syncsOfManifest() {
      return ofManifest;
    }

    private synchronized int syncsOfValues() {
      return ofValues;
    }

    private synchronized String wrong() {
      return wrong;
    }

    @Override
    public AppendFile create(Path file) {
      AppendFile created = super.create(file);
      if (isValues(file)) {
        written("the name of " + file.getFileName());
      }
      return new ForwardingAppendFile(created) {
        @Override
        public void sync() {
          syncOf(file);
          super.sync();
        }
      };
    }

    @Override
    public RandomWriteFile openToGrow(Path file) {
      String name = file.getFileName().toString();
      return new ForwardingRandomWriteFile(super.openToGrow(file)) {
        @Override
        public void write(byte[] source, int offset, int length, long position) {
          written(name);
          super.write(source, offset, length, position);
        }

        @Override
        public void sync() {
          super.sync();
          durable(name);
        }
      };
    }

    @Override
    public RandomWriteFile openForWrite(Path file, long size) {
      return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
        @Override
        public void sync() {
          syncOf(file);
          super.sync();
        }
      };
    }

    @Override
    public MappedRegion mapForWrite(Path file, long size) {
      return new ForwardingMappedRegion(super.mapForWrite(file, size)) {
        @Override
        public void force(int from, int length) {
          syncOf(file);
          super.force(from, length);
        }
      };
    }

    @Override
    public void syncDirectory(Path directory) {
      super.syncDirectory(directory);
      synchronized (this) {
        notDurable.removeIf(what -> what.startsWith("the name"));
      }
    }

    @Override
    public void delete(Path file) {
      super.delete(file);
      synchronized (this) {
        notDurable.remove("the name of " + file.getFileName());
        notDurable.remove(file.getFileName().toString());
      }
    }
  }

  private static byte[] key(int number) {
    return ("key " + number).getBytes(UTF_8);
  }

  private static byte[] value(int seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    return value;
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void nothingIsDurableBeforeTheValuesToWhichItRefers(LogAccess access) {
    Order order = new Order();
    StoreOptions options = StoreOptions.builder().logAccess(access).build();
    try (Store store = TestStores.open(parent.resolve("store"), options, TUNING, order)) {
      DatabaseOptions apart = DatabaseOptions.builder().separateValuesFrom(100).build();
      Database database = store.createDatabase("apart", apart);
      Database other = store.createDatabase("other", apart);
      WriteOptions synced = WriteOptions.builder().durability(Durability.SYNC).build();
      for (int i = 0; i < 5; i++) {
        int before = order.syncsOfValues();
        database.put(key(i), value(i, LARGE), synced);
        assertThat(order.syncsOfValues()).isGreaterThan(before);
      }
      other.put(key(0), value(0, LARGE), synced); // to a new file, after the log has its name
      assertThat(order.wrong()).isEmpty();
      WriteBatch batch = new WriteBatch();
      for (int i = 5; i < 10; i++) {
        batch.put(database, key(i), value(i, LARGE + i));
      }
      store.write(batch, synced);
      WriteOptions buffered = WriteOptions.builder().durability(Durability.BUFFERED).build();
      for (int i = 10; i < 15; i++) {
        database.put(key(i), value(i, LARGE), buffered);
      }
      int ofLog = order.syncsOfLog();
      store.sync();
      assertThat(order.syncsOfLog()).isGreaterThan(ofLog);
      assertThat(order.wrong()).isEmpty();

      for (int i = 15; i < 20; i++) {
        database.put(key(i), value(i, 1000 + i), buffered); // apart when it is flushed
      }
      database.put(key(20), value(20, LARGE), buffered);
      order.flushesNow();
      int ofManifest = order.syncsOfManifest();
      int ofValues = order.syncsOfValues();
      store.flush();
      assertThat(order.wrong()).isEmpty();
      assertThat(order.syncsOfManifest()).isGreaterThan(ofManifest);
      assertThat(order.syncsOfValues()).isGreaterThanOrEqualTo(ofValues + 2);

      for (int i = 0; i < 19; i++) {
        database.delete(key(i), synced);
      }
      store.flush();
      database.compact(); // copies what is left in the files, if it empties them
      store.awaitIdle();
    }
    assertThat(order.wrong()).isEmpty();
  }
}
