package io.sifr.internal.sst.format;

import java.nio.ByteBuffer;

/** Copies pages of a file into memory. */
public interface PageSource {
  /** The bytes from {@code from} to {@code to}, which are offsets of whole pages. */
  ByteBuffer read(long from, long to);
}
