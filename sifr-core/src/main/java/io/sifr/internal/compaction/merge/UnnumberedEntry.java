package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;

/** The current entry of an iterator, with the sequence number 0. */
final class UnnumberedEntry implements ForwardIterator {
  private final ForwardIterator entries;

  UnnumberedEntry(ForwardIterator entries) {
    this.entries = entries;
  }

  @Override
  public boolean seekToFirst() {
    return entries.seekToFirst();
  }

  @Override
  public boolean next() {
    return entries.next();
  }

  @Override
  public boolean valid() {
    return entries.valid();
  }

  @Override
  public byte[] keyArray() {
    return entries.keyArray();
  }

  @Override
  public int keyOffset() {
    return entries.keyOffset();
  }

  @Override
  public int keyLength() {
    return entries.keyLength();
  }

  @Override
  public long trailer() {
    return Trailer.of(0, Trailer.kind(entries.trailer()));
  }

  @Override
  public int valueLength() {
    return entries.valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    entries.copyValue(target, offset);
  }

  @Override
  public ByteBuffer value() {
    return entries.value();
  }

  @Override
  public void close() {
    entries.close();
  }
}
