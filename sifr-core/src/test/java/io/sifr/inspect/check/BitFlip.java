package io.sifr.inspect.check;

import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.TestDumps;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.testing.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * One bit of one file of a store.
 *
 * @param file name of the file
 * @param kind which kind of file, and how the store was left
 * @param region which part of the file
 * @param offset of the byte
 * @param bit which bit of the byte
 */
record BitFlip(String file, String kind, String region, long offset, int bit) {

  /** Begins the names of the regions of records without edits. */
  private static final String SYNCED = "synced";

  /** Begins the names of the regions of a manifest's last record, on which nobody has relied. */
  private static final String LAST_RECORD = "last record";

  /** Pieces of files that are frames. */
  private static final Set<String> FRAMED = Set.of("record", "seal", SYNCED);

  private static final String PADDING = " padding";

  /** Between one piece and the next. */
  private static final String BETWEEN = "between";

  /** First bytes of a record: in the log its sequence number, mark and count. */
  private static final int HEAD_BYTES = 20;

  /** Whether no file format covers the byte with a checksum. */
  boolean isPadding() {
    return region.endsWith(PADDING);
  }

  /** Whether it is in a record that says that those before it were synced. */
  boolean isInSyncedRecord() {
    return region.startsWith(SYNCED) || region.startsWith(LAST_RECORD);
  }

  /** Flips it in a directory. */
  void applyTo(Path directory) throws IOException {
    Path target = directory.resolve(file);
    byte[] bytes = Files.readAllBytes(target);
    bytes[(int) offset] ^= (byte) (1 << bit);
    Files.write(target, bytes);
  }

  /**
   * The bits of a store, by kind of file, file and region, so that small regions are hit as well.
   */
  static final class Chooser {
    /** A stretch of a file. */
    private record Stretch(long offset, long length) {}

    private final Path directory;
    private final String shape;
    private final Map<String, List<String>> filesByKind = new TreeMap<>();
    private final Map<String, Map<String, List<Stretch>>> regionsByFile = new TreeMap<>();

    /**
     * @param shape how the store was left: part of the kinds' names
     */
    Chooser(Path directory, String shape) throws IOException {
      this.directory = directory;
      this.shape = shape;
      for (Path file : Directories.files(directory)) {
        add(file, file.getFileName().toString());
      }
    }

    private void add(Path file, String name) throws IOException {
      String kind = name;
      Map<String, List<Stretch>> regions = new TreeMap<>();
      for (FileKind candidate : FileKind.values()) {
        if (candidate.numberOf(name).isPresent()) {
          kind = candidate.name();
          addPieces(file, candidate, regions);
        }
      }
      if (regions.isEmpty()) {
        regions.put("all", List.of(new Stretch(0, Files.size(file))));
      }
      if (Files.size(file) > 0) {
        filesByKind.computeIfAbsent(kind, k -> new ArrayList<>()).add(name);
        regionsByFile.put(name, regions);
      }
    }

    private static void addPieces(Path file, FileKind kind, Map<String, List<Stretch>> regions)
        throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
      List<DumpedRecord> pieces =
          TestDumps.dump(file).stream().filter(piece -> piece.depth() == 0).toList();
      for (DumpedRecord piece : pieces) {
        boolean isFrame = FRAMED.contains(piece.kind());
        boolean isLast = pieces.indexOf(piece) == pieces.size() - 1;
        String name = kind == FileKind.MANIFEST && isLast ? LAST_RECORD : piece.kind();
        if (isFrame) {
          addFrame(bytes, piece, name, regions);
        } else {
          add(regions, name, piece.offset(), piece.length());
        }
      }
    }

    private static void addFrame(
        ByteBuffer file, DumpedRecord piece, String name, Map<String, List<Stretch>> regions) {
      long at = piece.offset();
      int payload = file.getInt((int) at);
      int headEnd = RecordFrame.HEADER_BYTES + Math.min(HEAD_BYTES, payload);
      int end = RecordFrame.HEADER_BYTES + payload;
      add(regions, name + " frame", at, RecordFrame.HEADER_BYTES);
      add(regions, name + " head", at + RecordFrame.HEADER_BYTES, headEnd - 8);
      add(regions, name + " rest", at + headEnd, end - headEnd);
      add(regions, name + PADDING, at + end, piece.length() - end);
    }

    private static void add(
        Map<String, List<Stretch>> regions, String name, long offset, long length) {
      if (length > 0) {
        regions.computeIfAbsent(name, n -> new ArrayList<>()).add(new Stretch(offset, length));
      }
    }

    /** A random bit. */
    BitFlip any(Random random) {
      String kind = any(random, List.copyOf(filesByKind.keySet()));
      if ((kind.equals("LOCK") || kind.equals("CURRENT")) && random.nextInt(4) > 0) {
        kind = any(random, List.copyOf(filesByKind.keySet()));
      }
      String file = any(random, filesByKind.getOrDefault(kind, List.of()));
      Map<String, List<Stretch>> regions = regionsByFile.getOrDefault(file, Map.of());
      String region = any(random, List.copyOf(regions.keySet()));
      Stretch stretch = any(random, regions.getOrDefault(region, List.of()));
      long offset = stretch.offset() + (long) (random.nextDouble() * stretch.length());
      return new BitFlip(file, shape + " " + kind, region, offset, random.nextInt(8));
    }

    private static <T> T any(Random random, List<T> list) {
      return list.get(random.nextInt(list.size()));
    }

    /** One bit of every byte of the smallest file of each kind; at most so many bytes a file. */
    List<BitFlip> everyByteOfAFileOfEachKind(Random random, long most) throws IOException {
      List<BitFlip> flips = new ArrayList<>();
      for (Map.Entry<String, List<String>> files : filesByKind.entrySet()) {
        String file = smallest(files.getValue());
        long size = Math.min(most, Files.size(directory.resolve(file)));
        for (long offset = 0; offset < size; offset++) {
          String kind = shape + " " + files.getKey();
          flips.add(new BitFlip(file, kind, regionOf(file, offset), offset, random.nextInt(8)));
        }
      }
      return flips;
    }

    private String smallest(List<String> files) throws IOException {
      String smallest = files.get(0);
      for (String file : files) {
        if (Files.size(directory.resolve(file)) < Files.size(directory.resolve(smallest))) {
          smallest = file;
        }
      }
      return smallest;
    }

    private String regionOf(String file, long offset) {
      for (Map.Entry<String, List<Stretch>> region :
          regionsByFile.getOrDefault(file, Map.of()).entrySet()) {
        for (Stretch stretch : region.getValue()) {
          if (offset >= stretch.offset() && offset < stretch.offset() + stretch.length()) {
            return region.getKey();
          }
        }
      }
      return BETWEEN;
    }
  }
}
