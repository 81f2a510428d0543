import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.impl.Iq80DBFactory;

/** Writer LIBRARY write DIRECTORY OPERATIONS, Writer LIBRARY read DIRECTORY FILE. */
final class Writer {
  private static final HexFormat HEX = HexFormat.of();

  public static void main(String[] args) throws IOException {
    DBFactory factory = args[0].equals("iq80") ? Iq80DBFactory.factory : JniDBFactory.factory;
    Options options = new Options().writeBufferSize(1 << 20);
    try (DB db = factory.open(new File(args[2]), options)) {
      if (args[1].equals("read")) {
        read(db, Path.of(args[3]));
      } else {
        write(db, Path.of(args[3]));
      }
    }
    System.out.println("closed");
  }

  private static void read(DB db, Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file);
        DBIterator entries = db.iterator()) {
      for (entries.seekToFirst(); entries.hasNext(); ) {
        Map.Entry<byte[], byte[]> entry = entries.next();
        out.write(HEX.formatHex(entry.getKey()) + " " + HEX.formatHex(entry.getValue()) + "\n");
      }
    }
  }

  private static void write(DB db, Path file) throws IOException {
    int done = 0;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        try (WriteBatch batch = db.createWriteBatch()) {
          if (line.startsWith("B ")) {
            for (int left = Integer.parseInt(line.substring(2)); left > 0; left--) {
              add(batch, lines.readLine());
            }
          } else {
            add(batch, line);
          }
          db.write(batch);
        }
        if (++done % 200 == 0) {
          System.out.println(done);
        }
      }
    }
  }

  private static void add(WriteBatch batch, String line) {
    String[] fields = line.split(" ", -1);
    if (fields[0].equals("P")) {
      batch.put(HEX.parseHex(fields[1]), HEX.parseHex(fields[2]));
    } else {
      batch.delete(HEX.parseHex(fields[1]));
    }
  }
}
