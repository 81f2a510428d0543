package io.sifr.internal.crypt;

import io.sifr.error.EncryptionKeyException;
import io.sifr.spi.EncryptionKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a store. Each file has a key of its own, which is derived from one of them and the
 * file's random id (NIST SP 800-108, HMAC with SHA-256): so a piece of one file is nothing in
 * another, and no key is used for so much that its nonces may meet. Thread-safe.
 */
public final class FileKeys {
  /** Of a store without encryption. */
  public static final FileKeys NONE = new FileKeys(null);

  private static final Logger LOG = LoggerFactory.getLogger(FileKeys.class);
  private static final String MAC = "HmacSHA256";
  private static final byte[] FOR_CONTENT = label("sifr file key");
  private static final byte[] FOR_CHECK = label("sifr key check");

  private final @Nullable EncryptionKeys provider;
  private final Map<Integer, SecretKeySpec> known = new ConcurrentHashMap<>();

  private FileKeys(@Nullable EncryptionKeys provider) {
    this.provider = provider;
  }

  /** The keys of a provider. */
  public static FileKeys of(EncryptionKeys provider) {
    return provider.equals(EncryptionKeys.NONE) ? NONE : new FileKeys(provider);
  }

  private static byte[] label(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether there may be keys. */
  public boolean areUsed() {
    return provider != null;
  }

  /**
   * Number of the key with which files are encrypted that are begun now; 0: they are not.
   *
   * @throws IllegalArgumentException when the provider names one that is not allowed
   */
  public int current() {
    int number = provider == null ? 0 : provider.current();
    if (number < 0 || number > EncryptionKeys.MOST) {
      throw new IllegalArgumentException(
          "the current key is number %d; allowed: 1 to %d, or 0 for no encryption"
              .formatted(number, EncryptionKeys.MOST));
    }
    return number;
  }

  /**
   * As {@link #current}, but another number as long as there is no such key, or that is not known:
   * for what can go on without it.
   */
  public int currentOr(int other) {
    try {
      int number = current();
      if (number != 0) {
        var unused = key(Path.of("a new file"), number);
      }
      return number;
    } catch (RuntimeException e) {
      LOG.debug("new files cannot be encrypted for now: {}", e.getMessage());
      return other;
    }
  }

  /**
   * Whether new files are encrypted with another key than one, or with none; not as long as they
   * cannot be.
   */
  public boolean isOld(int number) {
    return currentOr(number) != number;
  }

  /** A number by which a file tells that a key is the right one; it says nothing about the key. */
  public int check(Path file, int number, int kind, long uniqueId) {
    return ByteBuffer.wrap(derive(FOR_CHECK, key(file, number), kind, uniqueId)).getInt();
  }

  /**
   * What seals and opens the pieces of a file.
   *
   * @param number of the key
   * @param check what {@link #check} was when the file was begun
   * @param kind code of the kind of the file
   * @param uniqueId the file's random id
   * @throws EncryptionKeyException when there is no such key, or it is another one
   */
  public FileCipher cipher(Path file, int number, int check, int kind, long uniqueId) {
    if (check(file, number, kind, uniqueId) != check) {
      throw new EncryptionKeyException(file, number, true);
    }
    byte[] key = derive(FOR_CONTENT, key(file, number), kind, uniqueId);
    return new FileCipher(file, number, check, new SecretKeySpec(key, "AES"));
  }

  private SecretKeySpec key(Path file, int number) {
    SecretKeySpec key = known.get(number);
    return key == null ? ask(file, number) : key;
  }

  private SecretKeySpec ask(Path file, int number) {
    byte[] bytes = provider == null ? null : provider.key(number);
    if (bytes == null) {
      throw new EncryptionKeyException(file, number, false);
    }
    if (bytes.length != EncryptionKeys.KEY_BYTES) {
      throw new IllegalArgumentException(
          "key %d has %d bytes; a key has %d"
              .formatted(number, bytes.length, EncryptionKeys.KEY_BYTES));
    }
    SecretKeySpec key = new SecretKeySpec(bytes, MAC);
    SecretKeySpec other = known.putIfAbsent(number, key);
    return other == null ? key : other;
  }

  private static byte[] derive(byte[] label, SecretKeySpec key, int kind, long uniqueId) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      mac.update(label);
      return mac.doFinal(
          ByteBuffer.allocate(2 + Long.BYTES)
              .put((byte) 0)
              .put((byte) kind)
              .putLong(uniqueId)
              .array());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + MAC, e);
    }
  }
}
