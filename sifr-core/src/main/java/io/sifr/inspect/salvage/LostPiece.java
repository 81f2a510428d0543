package io.sifr.inspect.salvage;

import io.sifr.inspect.Finding;
import io.sifr.internal.util.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a store that could not be rescued.
 *
 * @param finding where it was, and why it could not be rescued
 * @param bytes bytes of the piece; 0 when the file is missing
 * @param database the database of the lost entries; null when unknown, as in the log, which all
 *     databases share
 * @param firstKey no lost entry has a smaller key; null when unknown
 * @param lastKey no lost entry has a larger key; null when unknown
 * @param entries about how many entries were lost, including overwritten and deleted ones; -1 when
 *     unknown
 * @param doubtful how many entries with keys in that range were rescued although the lost piece may
 *     have held newer versions of them or their deletion; -1 when unknown
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record LostPiece(
    Finding finding,
    long bytes,
    @Nullable String database,
    byte @Nullable [] firstKey,
    byte @Nullable [] lastKey,
    long entries,
    long doubtful) {

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(finding.file()).append(" at offset ").append(finding.offset());
    text.append(": ").append(finding.what());
    if (bytes > 0) {
      text.append(", ").append(bytes).append(" bytes");
    }
    if (entries >= 0) {
      text.append(", about ").append(entries).append(entries == 1 ? " entry" : " entries");
    }
    if (database != null) {
      text.append(" of ").append(database);
    }
    if (firstKey != null) {
      text.append(", from ").append(KeyText.of(firstKey));
    }
    if (lastKey != null) {
      text.append(firstKey == null ? ", up to " : " to ").append(KeyText.of(lastKey));
    }
    if (doubtful > 0) {
      text.append("; ").append(doubtful);
      text.append(" rescued there may be out of date");
    }
    return text.toString();
  }
}
