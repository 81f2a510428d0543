package io.sifr.kafka.streams;

import java.util.function.ObjLongConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** Hands on how many records were restored, by store, whenever a store is through. */
record Restored(ObjLongConsumer<String> records) implements StateRestoreListener {
  @Override
  public void onRestoreStart(
      TopicPartition partition, String store, long startingOffset, long endingOffset) {}

  @Override
  public void onBatchRestored(
      TopicPartition partition, String store, long batchEndOffset, long restored) {}

  @Override
  public void onRestoreEnd(TopicPartition partition, String store, long totalRestored) {
    records.accept(store, totalRestored);
  }
}
