package io.sifr.internal.background;

import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.state.DatabaseHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A merge that is due.
 *
 * @param database whose trees
 * @param plan which of them
 * @param begun the merge as the manifest knows it, to go on with; null: none of it is done
 */
record MergeJob(DatabaseHandle database, CompactionPlan plan, @Nullable Compaction begun) {
  static MergeJob of(DatabaseHandle database, CompactionPlan plan) {
    return new MergeJob(database, plan, null);
  }

  static MergeJob rest(DatabaseHandle database, Compaction begun) {
    CompactionPlan plan = CompactionPlan.ofRest(database.view().get().forest(), begun);
    return new MergeJob(database, plan, begun);
  }

  /** The keys it has still to come through. */
  List<KeySpan> spans() {
    return begun == null ? List.of(KeySpan.ALL) : begun.remaining();
  }
}
