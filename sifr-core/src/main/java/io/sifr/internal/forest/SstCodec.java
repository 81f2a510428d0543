package io.sifr.internal.forest;

import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.format.EditNumbers;
import io.sifr.internal.format.EditReader;
import io.sifr.internal.format.EditWriter;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.spi.EncryptionKeys;
import java.util.Arrays;
import java.util.List;

/** Encodes the metadata of the SSTs that an edit names. */
final class SstCodec {
  /** Added to the level of a key sketch if the time follows at which the values expire. */
  private static final int EXPIRES = 64;

  /** Added to it if the value files follow that entries refer to. */
  private static final int REFERS = 128;

  /** Added to it if the part of the log follows that has the SST's content, too. */
  private static final int LOGGED = 256;

  /** Added to it if the number of the key follows with which the file is encrypted. */
  private static final int ENCRYPTED = 512;

  /** An SST with one-byte numbers and two empty keys. */
  private static final int MIN_SST_BYTES = 22;

  /** Bytes and entries of one SST are below this, so that sums over a tree do not overflow. */
  private static final long MAX_SST_SIZE = 1L << 40;

  /** Bytes of the values that an SST refers to are below this, for the same reason. */
  private static final long MAX_VALUE_BYTES = 1L << 50;

  /** A value file in one-byte numbers. */
  private static final int MIN_USE_BYTES = 2;

  private SstCodec() {}

  static void encode(List<Sst> ssts, EditWriter out) {
    out.unsigned(ssts.size());
    for (Sst sst : ssts) {
      SstMeta meta = checked(sst.meta());
      out.unsigned(meta.number());
      out.fixedLong(meta.uniqueId());
      out.unsigned(meta.fileBytes());
      out.unsigned(meta.entries());
      out.unsigned(meta.tombstones());
      out.unsigned(meta.rangeTombstones());
      out.unsigned(meta.rawBytes());
      out.unsigned(meta.baseSequence());
      out.unsigned(meta.minSequence());
      out.unsigned(meta.maxSequence());
      out.key(meta.smallestKey());
      out.key(meta.largestKey());
      out.unsigned(meta.lastWrite());
      encodeSketch(meta, out);
    }
  }

  /** Differences of ascending numbers take fewer bytes than these. */
  private static void encodeSketch(SstMeta meta, EditWriter out) {
    KeySketch sketch = meta.sketch();
    boolean expires = meta.lastExpiry() != ExpiringKind.NEVER;
    boolean refers = !meta.values().isEmpty();
    SstMeta.Logged logged = meta.logged();
    out.unsigned(
        sketch.level()
            + (expires ? EXPIRES : 0)
            + (refers ? REFERS : 0)
            + (logged == null ? 0 : LOGGED)
            + (meta.key() == 0 ? 0 : ENCRYPTED));
    if (expires) {
      out.unsigned(meta.lastExpiry());
    }
    if (refers) {
      out.list(meta.values(), SstCodec::encodeUse);
    }
    if (logged != null) {
      out.unsigned(logged.after());
      out.sequence(logged.upTo());
    }
    if (meta.key() != 0) {
      out.unsigned(meta.key());
    }
    out.unsigned(sketch.size());
    long before = 0;
    for (int i = 0; i < sketch.size(); i++) {
      out.unsigned(sketch.get(i) - before);
      before = sketch.get(i);
    }
  }

  private static void encodeUse(ValueUse use, EditWriter out) {
    out.number(use.file());
    out.unsigned(use.bytes());
  }

  static List<Sst> decode(EditReader in) {
    return in.list(MIN_SST_BYTES, SstCodec::one);
  }

  private static Sst one(EditReader in) {
    long number = in.unsigned();
    long uniqueId = in.fixedLong();
    long fileBytes = in.unsigned();
    var counts = new SstMeta.Counts(in.unsigned(), in.unsigned(), in.unsigned(), in.unsigned());
    var sequences = new SstMeta.Sequences(in.unsigned(), in.unsigned(), in.unsigned());
    var keys = new SstMeta.Keys(in.key(), in.key());
    long lastWrite = in.unsigned();
    long level = in.unsigned();
    boolean isEncrypted = level >= ENCRYPTED;
    level -= isEncrypted ? ENCRYPTED : 0;
    boolean isLogged = level >= LOGGED;
    level -= isLogged ? LOGGED : 0;
    boolean refers = level >= REFERS;
    level -= refers ? REFERS : 0;
    boolean expires = level >= EXPIRES;
    level -= expires ? EXPIRES : 0;
    var times = new SstMeta.Times(lastWrite, expires ? in.unsigned() : ExpiringKind.NEVER);
    List<ValueUse> values = refers ? in.list(MIN_USE_BYTES, SstCodec::use) : List.of();
    SstMeta.Logged logged = isLogged ? new SstMeta.Logged(in.unsigned(), in.sequence()) : null;
    int key = isEncrypted ? key(in.unsigned()) : 0;
    var identity = new SstMeta.Identity(number, uniqueId, fileBytes, key);
    SstMeta meta = new SstMeta(identity, keys, counts, sequences, times, values, logged);
    return new Sst(checked(meta.with(decodeSketch(level, in))));
  }

  private static int key(long number) {
    if (number == 0) {
      throw new IllegalArgumentException("an encrypted SST has key 0");
    }
    return (int) EditNumbers.atMost("the number of a key", number, EncryptionKeys.MOST);
  }

  private static ValueUse use(EditReader in) {
    return new ValueUse(in.number(), in.unsigned());
  }

  private static KeySketch decodeSketch(long levelRead, EditReader in) {
    int level =
        (int) EditNumbers.atMost("the level of a key sketch", levelRead, KeySketch.HASH_BITS);
    int size = (int) EditNumbers.atMost("the size of a key sketch", in.count(1), KeySketch.MOST);
    long[] sample = new long[size];
    long value = 0;
    for (int i = 0; i < size; i++) {
      value += in.unsigned();
      sample[i] = value;
    }
    return KeySketch.of(level, sample);
  }

  private static SstMeta checked(SstMeta meta) {
    EditNumbers.number(meta.number());
    EditNumbers.sequence(meta.maxSequence());
    if (meta.fileBytes() < 1
        || meta.fileBytes() > MAX_SST_SIZE
        || meta.entries() < 1
        || meta.entries() > MAX_SST_SIZE
        || meta.tombstones() > meta.entries()
        || meta.rangeTombstones() > MAX_SST_SIZE
        || meta.baseSequence() < 0
        || meta.minSequence() < meta.baseSequence()
        || meta.minSequence() > meta.maxSequence()) {
      throw new IllegalArgumentException(
          String.format(
              "SST %d has %d bytes, %d entries, %d tombstones, %d range tombstones, sequence"
                  + " numbers %d to %d from %d on",
              meta.number(),
              meta.fileBytes(),
              meta.entries(),
              meta.tombstones(),
              meta.rangeTombstones(),
              meta.minSequence(),
              meta.maxSequence(),
              meta.baseSequence()));
    }
    if (meta.smallestKey().length > EntryLimits.MAX_KEY_BYTES
        || meta.largestKey().length > EntryLimits.MAX_KEY_BYTES
        || Arrays.compareUnsigned(meta.smallestKey(), meta.largestKey()) > 0) {
      throw new IllegalArgumentException(
          String.format(
              "SST %d has a smallest key of %d bytes and a largest of %d, too long or in wrong"
                  + " order",
              meta.number(), meta.smallestKey().length, meta.largestKey().length));
    }
    SstMeta.Logged logged = meta.logged();
    if (logged != null && (logged.after() >= logged.upTo() || meta.maxSequence() > logged.upTo())) {
      throw new IllegalArgumentException(
          String.format(
              "SST %d has sequence numbers up to %d, and is logged after %d up to %d",
              meta.number(), meta.maxSequence(), logged.after(), logged.upTo()));
    }
    long before = 0;
    for (ValueUse use : meta.values()) {
      if (use.file() <= before || use.bytes() < 0 || use.bytes() > MAX_VALUE_BYTES) {
        throw new IllegalArgumentException(
            String.format(
                "SST %d refers to %d bytes of value file %d, after file %d",
                meta.number(), use.bytes(), use.file(), before));
      }
      before = use.file();
    }
    return meta;
  }
}
