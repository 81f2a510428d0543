package io.sifr.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A file at one moment: what of it is durable, and the pages that are different in the kernel's
 * memory. Nobody changes it, so images of many crashes share its pages.
 *
 * @param isDirectory whether it is a directory, which has no content
 * @param durable the pages that are durable, each {@link #PAGE_BYTES} long, zeros after {@code
 *     durableSize}
 * @param durableSize bytes of the file that are durable
 * @param size bytes of the file, at least as many
 * @param dirty page number → content, where it is not what is durable
 */
record FrozenFile(
    boolean isDirectory,
    List<byte[]> durable,
    int durableSize,
    int size,
    Map<Integer, byte[]> dirty) {
  /** What a device and the kernel take as one piece. */
  static final int PAGE_BYTES = 4096;

  /** Shared by all pages that hold nothing; never changed. */
  static final byte[] ZEROS = new byte[PAGE_BYTES];

  /** What a device writes whole even when it dies meanwhile, in most cases. */
  private static final int SECTOR_BYTES = 512;

  /** A new file, another one each time. */
  static FrozenFile empty() {
    return new FrozenFile(false, List.of(), 0, 0, Map.of());
  }

  /** A new directory. */
  static FrozenFile directory() {
    return new FrozenFile(true, List.of(), 0, 0, Map.of());
  }

  /** How many pages hold that many bytes. */
  static int pages(int bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  }

  /** A page as it is durable. */
  byte[] durablePage(int page) {
    return page < durable.size() ? durable.get(page) : ZEROS;
  }

  boolean isDurable() {
    return dirty.isEmpty() && size == durableSize;
  }

  /** The content, in an array that may be longer by what is missing to a whole page. */
  byte[] content() {
    byte[] bytes = new byte[pages(size) * PAGE_BYTES];
    for (int page = 0; page < pages(size); page++) {
      byte[] source = dirty.getOrDefault(page, durablePage(page));
      System.arraycopy(source, 0, bytes, page * PAGE_BYTES, PAGE_BYTES);
    }
    return bytes;
  }

  /**
   * What a power loss may leave: of each dirty page the durable content, the new one, or a mixture;
   * a size between the durable one and the present one.
   */
  FrozenFile afterPowerLoss(Random random, Luck luck) {
    if (isDurable()) {
      return this;
    }
    int left = sizeLeft(random, luck);
    List<byte[]> pages = new ArrayList<>(pages(left));
    for (int page = 0; page < pages(left); page++) {
      byte[] before = durablePage(page);
      byte[] now = dirty.get(page);
      pages.add(now == null ? before : pageLeft(before, now, random, luck));
    }
    int endOfLast = left % PAGE_BYTES;
    if (endOfLast != 0) {
      byte[] last = pages.get(pages.size() - 1).clone();
      Arrays.fill(last, endOfLast, PAGE_BYTES, (byte) 0);
      pages.set(pages.size() - 1, last);
    }
    return new FrozenFile(false, pages, left, left, Map.of());
  }

  private int sizeLeft(Random random, Luck luck) {
    if (size == durableSize || luck.keeps(random)) {
      return size;
    }
    return luck.tears(random) ? durableSize + random.nextInt(size - durableSize) : durableSize;
  }

  private static byte[] pageLeft(byte[] before, byte[] now, Random random, Luck luck) {
    if (luck.tears(random)) {
      return torn(before, now, random);
    }
    return luck.keeps(random) ? now : before;
  }

  private static byte[] torn(byte[] before, byte[] now, Random random) {
    int unit = random.nextInt(4) == 0 ? SECTOR_BYTES : Long.BYTES;
    int units = PAGE_BYTES / unit;
    int cut = random.nextInt(units + 1);
    int order = random.nextInt(3);
    byte[] page = before.clone();
    for (int i = 0; i < units; i++) {
      boolean isNew =
          switch (order) {
            case 0 -> i < cut;
            case 1 -> i >= cut;
            default -> random.nextBoolean();
          };
      if (isNew) {
        System.arraycopy(now, i * unit, page, i * unit, unit);
      }
    }
    return page;
  }

  /**
   * How much one power loss leaves. Without it, each loss would be a mixture, and that everything
   * or nothing is left would hardly ever happen.
   *
   * @param keptOfFour of four things that are not durable so many are left
   * @param tornOfFour of four pages so many are torn
   */
  record Luck(int keptOfFour, int tornOfFour) {
    static Luck draw(Random random) {
      return new Luck(random.nextInt(5), random.nextInt(3));
    }

    boolean keeps(Random random) {
      return random.nextInt(4) < keptOfFour;
    }

    boolean tears(Random random) {
      return random.nextInt(4) < tornOfFour;
    }
  }
}
