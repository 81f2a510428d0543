package io.sifr.inspect.salvage;

import io.sifr.internal.format.FileKind;
import io.sifr.testing.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Damage of several kinds to the files of a store, kept apart from the store itself. */
final class StoreDamage {
  private static final int PAGE = 4096;

  private final Path sound;
  private final Random random;

  /** Files that are changed; empty for one that is missing. */
  private final Map<String, byte[]> changed = new TreeMap<>();

  private final Map<String, Boolean> missing = new TreeMap<>();
  private final StringBuilder description = new StringBuilder();
  private boolean isManifestHit;

  StoreDamage(Path sound, Random random) {
    this.sound = sound;
    this.random = random;
  }

  /** Whether anything was done to a manifest. */
  boolean isManifestHit() {
    return isManifestHit;
  }

  /** The content of a file now; null when it is missing. */
  byte @Nullable [] now(String file) throws IOException {
    if (missing.containsKey(file)) {
      return null;
    }
    byte[] bytes = changed.get(file);
    return bytes == null ? Files.readAllBytes(sound.resolve(file)) : bytes;
  }

  /** Does something random. */
  void any() throws IOException {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> change(FileKind.SST);
      case 3, 4, 5 -> change(FileKind.WAL);
      case 6 -> remove(FileKind.SST);
      case 7 -> remove(FileKind.WAL);
      case 8 -> change("CURRENT");
      case 9 -> remove("CURRENT");
      case 10 -> change(FileKind.MANIFEST);
      default -> remove(FileKind.MANIFEST);
    }
  }

  /** Changes some bytes of a file of that kind, if there is one. */
  void change(FileKind kind) throws IOException {
    List<Path> files = Directories.files(sound, kind);
    if (!files.isEmpty()) {
      change(name(files.get(random.nextInt(files.size()))));
      isManifestHit |= kind == FileKind.MANIFEST;
    }
  }

  private void remove(FileKind kind) throws IOException {
    List<Path> files = Directories.files(sound, kind);
    if (!files.isEmpty()) {
      remove(name(files.get(random.nextInt(files.size()))));
      isManifestHit |= kind == FileKind.MANIFEST;
    }
  }

  void remove(String file) {
    missing.put(file, true);
    description.append(file).append(" missing; ");
  }

  void change(String file) throws IOException {
    byte[] before = now(file);
    if (before == null || before.length == 0) {
      return;
    }
    byte[] bytes = before.clone();
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> {
        int from = at / PAGE * PAGE;
        int to = Math.min(bytes.length, from + PAGE * (1 + random.nextInt(3)));
        Arrays.fill(bytes, from, to, (byte) 0);
        description.append(file).append(" zeros from ").append(from).append(" to ").append(to);
      }
      case 1 -> {
        bytes = Arrays.copyOf(bytes, at);
        description.append(file).append(" cut at ").append(at);
      }
      default -> {
        for (int i = random.nextInt(4); i >= 0; i--) {
          bytes[at] ^= (byte) (1 << random.nextInt(8));
          description.append(file).append(" flipped at ").append(at).append(' ');
          at = random.nextInt(bytes.length);
        }
      }
    }
    description.append("; ");
    changed.put(file, bytes);
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  /** Makes a damaged copy. What is not damaged is linked, not copied. */
  void copyTo(Path target) throws IOException {
    Files.createDirectory(target);
    for (Path file : Directories.files(sound)) {
      String name = name(file);
      byte[] bytes = changed.get(name);
      if (bytes != null && !missing.containsKey(name)) {
        Files.write(target.resolve(name), bytes);
      } else if (!missing.containsKey(name)) {
        Files.createLink(target.resolve(name), file);
      }
    }
  }

  @Override
  public String toString() {
    return description.toString();
  }
}
