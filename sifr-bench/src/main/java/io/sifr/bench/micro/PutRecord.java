package io.sifr.bench.micro;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.Memtable;
import java.util.List;
import java.util.stream.IntStream;

/** A put, prepared for being added to a memtable. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PutRecord(long trailer, byte[] key, byte[] value) {

  /** Puts of all entries in random order. */
  static List<PutRecord> shuffled(Entries entries) {
    int[] order = entries.shuffled();
    return IntStream.range(0, order.length)
        .mapToObj(place -> of(entries, order[place], place + 1))
        .toList();
  }

  /** The put of one entry. */
  static PutRecord of(Entries entries, int index, long sequence) {
    return new PutRecord(
        Trailer.of(sequence, EntryKind.PUT), entries.key(index), entries.value(index));
  }

  void addTo(Memtable memtable) {
    memtable.add(trailer, key, 0, key.length, value, 0, value.length);
  }
}
