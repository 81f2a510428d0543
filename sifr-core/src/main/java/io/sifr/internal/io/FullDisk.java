package io.sifr.internal.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a call failed for want of space. Java has no exception of its own for it, only the
 * text of the operating system, which is in the language of the process. So there are three signs:
 *
 * <ul>
 *   <li>the text is a known one: English, and what the GNU C library has in other languages for a
 *       quota that is used up, of which a file system cannot be asked;
 *   <li>the text is that with which this process cannot write to {@code /dev/full}, a device of
 *       Linux that is always full;
 *   <li>the call wanted to write, and the file system has less than 1 MiB left.
 * </ul>
 *
 * <p>The third one takes another failure for a full disk when it comes while the disk is nearly
 * full. Then the write is made again with another file, which harms nothing, and those who wait are
 * told of it. After a sync that failed it would do harm to go on, since what was written may be
 * lost: there the file system is not asked, and a text that nobody knows is a failure.
 *
 * <p>Thread-safe.
 */
final class FullDisk {
  private static final long LEAST_USABLE_BYTES = 1 << 20;

  private static final List<String> KNOWN =
      Stream.concat(
              Stream.of(
                  "No space left on device", // ENOSPC
                  "Disk quota exceeded", // EDQUOT
                  "not enough space on the disk", // ERROR_DISK_FULL on Windows
                  "storage quota was exceeded"), // ERROR_DISK_QUOTA_EXCEEDED
              """
              Перавышана дыскавая квота
              Надвишена дискова квота
              S’ha excedit la quota de disc
              Překročena disková kvóta
              Diskkvoten overskredet
              Der zugewiesene Plattenplatz (Quota) ist überschritten
              Ξεπεράστηκε το όριο χρήσης δίσκου
              Diska kvoto transpasiĝis
              Se ha excedido la cuota de disco
              Levykiintiö ylittynyt
              Débordement du quota d'espace disque
              Cota de disco superada
              Prekoračena je dodijeljena kvota (prostor) na disku
              Lemezkvóta túllépve
              Quota Dis terlampaui
              Quota disco superata
              ディスク使用量制限を超過しました
              디스크 할당량이 초과됨
              Viršyta disko kvota
              Schijfquotum is overschreden
              Przekroczony limit dyskowy
              Quota do disco excedida
              Cota da disco excedida
              Превышена дисковая квота
              Disková kvóta prekročená
              Квота диска је премашена
              Diskkvot överskriden
              Disk kotası aşıldı
              Перевищено квоту диска
              Vượt quá hạn ngạch đĩa
              超出磁盘限额
              磁碟配額已滿
              """
                  .lines())
          .toList();

  /** By the signs of this platform. */
  static final FullDisk OF_THIS_PLATFORM =
      new FullDisk(() -> messageOf(Path.of("/dev/full")), FullDisk::usableBytes);

  private final Supplier<@Nullable String> ownMessage;
  private final ToLongFunction<Path> usableBytes;

  /** What {@link #ownMessage} has given, once it has. */
  private volatile @Nullable String learned;

  /**
   * @param ownMessage the text of this process for a device without space; null when it cannot be
   *     found out
   * @param usableBytes what a directory's file system has left for this process; very many when it
   *     does not tell
   */
  FullDisk(Supplier<@Nullable String> ownMessage, ToLongFunction<Path> usableBytes) {
    this.ownMessage = ownMessage;
    this.usableBytes = usableBytes;
  }

  /** Whether the platform says so. */
  boolean isSaidBy(IOException cause) {
    String message = cause.getMessage();
    if (message == null) {
      return false;
    }
    if (KNOWN.stream().anyMatch(message::contains)) {
      return true;
    }
    String own = learn();
    return own != null && message.contains(own);
  }

  /** Whether it must be so because there is no space for what had to be written to a file. */
  boolean isFound(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    return directory != null && usableBytes.applyAsLong(directory) < LEAST_USABLE_BYTES;
  }

  /** Not before something has failed: mostly nobody has to know. */
  private @Nullable String learn() {
    String message = learned;
    if (message == null) {
      message = ownMessage.get();
      learned = message;
    }
    return message;
  }

  /** With what a device refuses what is written to it; null when there is none, or it does not. */
  private static @Nullable String messageOf(Path device) {
    try (OutputStream out = Files.newOutputStream(device, StandardOpenOption.WRITE)) {
      return refusal(out);
    } catch (IOException e) {
      return null;
    }
  }

  private static @Nullable String refusal(OutputStream out) {
    try {
      out.write(0);
      return null;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** The platform gives 0 for both of these when it cannot tell: no file system has no bytes. */
  private static long usableBytes(Path directory) {
    long total = directory.toFile().getTotalSpace();
    return total == 0 ? Long.MAX_VALUE : directory.toFile().getUsableSpace();
  }
}
