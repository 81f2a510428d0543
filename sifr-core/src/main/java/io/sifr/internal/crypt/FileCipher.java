package io.sifr.internal.crypt;

import io.sifr.error.TamperedException;
import io.sifr.internal.util.Workspaces;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals and opens the pieces of one file with AES-GCM (NIST SP 800-38D), by the JDK. A piece is
 *
 * <pre>
 * n   bytes  its content, encrypted
 * 16  bytes  tag, over the content and the piece's context
 * 12  bytes  nonce
 * </pre>
 *
 * <p>The <em>context</em> is what a reader knows of a piece without it, above all its place in the
 * file: a piece that was moved does not open. A nonce is 8 random bytes of whoever writes the file,
 * and a counter; so none is used twice, even if two go on with copies of one file. Thread-safe.
 */
public final class FileCipher {
  /** Bytes that a sealed piece takes besides its content. */
  public static final int OVERHEAD = 28;

  private static final int TAG_BYTES = 16;
  private static final int NONCE_BYTES = 12;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Workspaces<Work> WORK = new Workspaces<>(Work::new);

  /** Longer pieces are handed to the cipher as they are. */
  private static final int MOST_COPIED_BYTES = 128 << 10;

  private final Path file;
  private final int number;
  private final int check;
  private final SecretKeySpec key;
  private final long nonces = RANDOM.nextLong();
  private final AtomicInteger sealed = new AtomicInteger();

  FileCipher(Path file, int number, int check, SecretKeySpec key) {
    this.file = file;
    this.number = number;
    this.check = check;
    this.key = key;
  }

  /**
   * A cipher, and arrays from which it reads and to which it writes: from one array to another it
   * is several times as fast as within one, or between buffers off the heap, copies included.
   */
  private static final class Work {
    final Cipher cipher = newCipher();
    byte[] in = new byte[0];
    byte[] out = new byte[0];

    void makeRoom(int length) {
      if (in.length < length) {
        in = new byte[length];
        out = new byte[length];
      }
    }
  }

  private static Cipher newCipher() {
    try {
      return Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no AES-GCM", e);
    }
  }

  /** Number of the key from which the file's own was derived. */
  public int number() {
    return number;
  }

  /** By which it is known that a key is the right one, see {@link FileKeys#check}. */
  public int check() {
    return check;
  }

  /** The context of a piece of which only the place matters. */
  public static byte[] at(long offset) {
    return ByteBuffer.allocate(Long.BYTES).putLong(offset).array();
  }

  /**
   * Seals a piece where it is.
   *
   * @param array holds the content, and room for {@link #OVERHEAD} bytes after it
   */
  public void seal(byte[] context, byte[] array, int offset, int length) {
    seal(context, array, offset, length, array, offset);
  }

  /**
   * Seals a piece.
   *
   * @param target receives it from {@code targetOffset} on, {@link #OVERHEAD} bytes more than the
   *     content
   */
  public void seal(
      byte[] context, byte[] source, int offset, int length, byte[] target, int targetOffset) {
    Work work = WORK.take();
    try {
      byte[] nonce = begin(work.cipher, context);
      int bytes = length + TAG_BYTES;
      if (source == target && length <= MOST_COPIED_BYTES) {
        work.makeRoom(bytes);
        work.cipher.doFinal(source, offset, length, work.out, 0);
        System.arraycopy(work.out, 0, target, targetOffset, bytes);
      } else {
        work.cipher.doFinal(source, offset, length, target, targetOffset);
      }
      System.arraycopy(nonce, 0, target, targetOffset + bytes, NONCE_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encrypt a piece of " + file, e);
    }
    WORK.give(work);
  }

  private byte[] begin(Cipher cipher, byte[] context) throws GeneralSecurityException {
    int count = sealed.incrementAndGet();
    if (count == 0) {
      throw new IllegalStateException("too many pieces of " + file + " were encrypted");
    }
    byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putLong(nonces).putInt(count).array();
    cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
    cipher.updateAAD(context);
    return nonce;
  }

  /** A piece that is sealed bit by bit, since it is too large to be in memory as a whole. */
  public Stream stream(byte[] context) {
    return new Stream(context);
  }

  /** Seals one piece. Used by one thread. */
  public final class Stream {
    private final Cipher cipher = newCipher();
    private final byte[] nonce;

    private Stream(byte[] context) {
      try {
        nonce = begin(cipher, context);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("cannot encrypt a piece of " + file, e);
      }
    }

    /** The next bytes as they are stored, which may be those of content before. */
    public byte[] next(byte[] content, int offset, int length) {
      byte[] some = cipher.update(content, offset, length);
      return some == null ? new byte[0] : some;
    }

    /** The end of the piece. */
    public byte[] end() {
      try {
        byte[] rest = cipher.doFinal();
        return ByteBuffer.allocate(rest.length + NONCE_BYTES).put(rest).put(nonce).array();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("cannot encrypt a piece of " + file, e);
      }
    }
  }

  /**
   * Opens a piece.
   *
   * @param what names the piece in messages
   * @param at where it is in the file, for messages
   * @param source the sealed piece, from its position to its limit
   * @param target receives the content at its position, which moves
   * @throws TamperedException when it was not sealed with this key and context, or is too short
   */
  public void open(String what, long at, byte[] context, ByteBuffer source, ByteBuffer target) {
    int length = source.remaining() - NONCE_BYTES;
    if (length < TAG_BYTES) {
      throw new TamperedException(file, at, what);
    }
    byte[] nonce = new byte[NONCE_BYTES];
    source.get(source.position() + length, nonce);
    Work work = WORK.take();
    try {
      Cipher cipher = work.cipher;
      cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
      cipher.updateAAD(context);
      if (length <= MOST_COPIED_BYTES) {
        work.makeRoom(length);
        source.get(source.position(), work.in, 0, length);
        target.put(work.out, 0, cipher.doFinal(work.in, 0, length, work.out, 0));
      } else {
        cipher.doFinal(source.slice(source.position(), length), target);
      }
    } catch (AEADBadTagException e) {
      throw new TamperedException(file, at, what);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "cannot decrypt the " + what + " at " + at + " of " + file, e);
    }
    WORK.give(work);
  }

  /** The same of a piece in an array. */
  public byte[] open(String what, long at, byte[] context, byte[] source, int offset, int length) {
    byte[] content = new byte[Math.max(0, length - OVERHEAD)];
    open(what, at, context, ByteBuffer.wrap(source, offset, length), ByteBuffer.wrap(content));
    return content;
  }
}
