package io.sifr.inspect.dump;

import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueRecord;
import java.util.function.Consumer;

/** Shows a value file: what is known of each value. */
final class ValuesDump {
  private ValuesDump() {}

  static void run(OfflineStore store, long number, Consumer<DumpedRecord> sink) {
    try (ValueFiles values = store.values()) {
      values.file(number).scan(record -> sink.accept(piece(record)));
    }
  }

  private static DumpedRecord piece(ValueRecord record) {
    Piece piece =
        new Piece("value")
            .with("kind", EntryKinds.STANDARD.ofCode(Trailer.kind(record.trailer())).toString())
            .with("sequence", Trailer.sequence(record.trailer()))
            .with("database", record.databaseId())
            .with("key", record.key());
    if (record.due() != ExpiringKind.NEVER) {
      piece.with("due", record.due());
    }
    return piece
        .with("valueBytes", record.valueBytes())
        .with("storedBytes", record.storedBytes())
        .at(record.offset(), record.bytes());
  }
}
