package io.sifr.internal.sst.write;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.PositionedIterator;
import io.sifr.internal.entry.RangeTombstones;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;

/** A tombstone of the first key that range tombstones delete, on which it is positioned. */
final class FirstTombstone extends PositionedIterator {
  private static final ByteBuffer NO_VALUE = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final long trailer;

  FirstTombstone(RangeTombstones ranges) {
    super(ranges.first());
    long newest = ranges.newestCovering(key, 0, key.length, Trailer.MAX_SEQUENCE);
    trailer = Trailer.of(newest, EntryKind.DELETE);
    positionAt(key, 0, key.length);
  }

  @Override
  public boolean seekToFirst() {
    return positionAt(key, 0, key.length);
  }

  @Override
  public boolean next() {
    return leave();
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public int valueLength() {
    return 0;
  }

  @Override
  public void copyValue(byte[] target, int offset) {}

  @Override
  public ByteBuffer value() {
    return NO_VALUE;
  }

  @Override
  public void close() {
    valid = false;
  }
}
