package io.sifr.internal.codec;

import java.nio.ByteBuffer;

/**
 * Arrays for one decoding: blocks come from buffers on and off the heap, and arrays are what the
 * JVM's compiler makes fast code for. Copying a block costs a small part of decoding it.
 */
final class Scratch {
  /** Bytes after the contents that may be read and overwritten, so that words can be copied. */
  static final int SLACK_BYTES = 32;

  private byte[] payload = new byte[(4 << 10) + SLACK_BYTES];
  private byte[] raw = new byte[(16 << 10) + SLACK_BYTES];

  /** An array that begins with all that the buffer has from its position to its limit. */
  byte[] withPayload(ByteBuffer source) {
    int bytes = source.remaining();
    payload = ofSize(payload, bytes);
    source.get(payload, 0, bytes);
    return payload;
  }

  /** An array for a raw form of that size. */
  byte[] forRaw(int bytes) {
    raw = ofSize(raw, bytes);
    return raw;
  }

  private static byte[] ofSize(byte[] array, int bytes) {
    return array.length >= bytes + SLACK_BYTES ? array : new byte[2 * bytes + SLACK_BYTES];
  }
}
