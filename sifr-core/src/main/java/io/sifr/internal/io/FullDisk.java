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
 * Recognizes whether a call failed because the disk is full. Java has no exception type for that,
 * only the text of the operating system, in the language of the process. So there are three signs:
 *
 * <ul>
 *   <li>the text is a known one: English, or the GNU C library's translations of "quota exceeded",
 *       since a file system has no call for quotas;
 *   <li>the text is the one this process gets when it writes to {@code /dev/full}, a Linux device
 *       that is always full;
 *   <li>the call was a write, and the file system has less than 1 MiB left.
 * </ul>
 *
 * <p>The third sign mistakes another failure for a full disk when it happens while the disk is
 * nearly full. The write is then repeated with another file, which is harmless, and waiting threads
 * get the error. After a failed sync it would be harmful to go on, since what was written may be
 * lost: there the free space is not checked, and an unknown text counts as a failure.
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

  /** Uses the signs of this platform. */
  static final FullDisk OF_THIS_PLATFORM =
      new FullDisk(() -> messageOf(Path.of("/dev/full")), FullDisk::usableBytes);

  private final Supplier<@Nullable String> ownMessage;
  private final ToLongFunction<Path> usableBytes;

  /** The result of {@link #ownMessage}, once it was needed. */
  private volatile @Nullable String learned;

  /**
   * @param ownMessage supplies the text this process gets for a full device; null when it cannot be
   *     determined
   * @param usableBytes bytes that the file system of a directory has left for this process; very
   *     large when unknown
   */
  FullDisk(Supplier<@Nullable String> ownMessage, ToLongFunction<Path> usableBytes) {
    this.ownMessage = ownMessage;
    this.usableBytes = usableBytes;
  }

  /** Whether the platform reports a full disk. */
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

  /** Whether lack of space explains a failed write: by the third sign alone. */
  boolean isFound(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    return directory != null && usableBytes.applyAsLong(directory) < LEAST_USABLE_BYTES;
  }

  /** Evaluated only after a failure: most processes never need it. */
  private @Nullable String learn() {
    String message = learned;
    if (message == null) {
      message = ownMessage.get();
      learned = message;
    }
    return message;
  }

  /**
   * The text with which a device refuses a write; null when there is no such device, or when it
   * accepts the write.
   */
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

  /**
   * Bytes that the file system of a directory has left for this process; very many when that is not
   * known. The platform reports 0 for both sizes then; the total shows that, since no file system
   * has a size of 0.
   */
  static long usableBytes(Path directory) {
    long usable = directory.toFile().getUsableSpace();
    return usable == 0 && directory.toFile().getTotalSpace() == 0 ? Long.MAX_VALUE : usable;
  }
}
