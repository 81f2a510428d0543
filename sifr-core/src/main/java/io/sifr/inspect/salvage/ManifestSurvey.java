package io.sifr.inspect.salvage;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.inspect.Finding;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.manifest.ManifestScan;
import io.sifr.internal.offline.OfflineStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a store's manifests, however damaged they and CURRENT are. The manifest that CURRENT names
 * is used; when CURRENT is lost, the newest one with a whole snapshot, preferably without damage.
 */
final class ManifestSurvey {
  private final OfflineStore store;
  private final Set<Finding> notes;

  ManifestSurvey(OfflineStore store, Set<Finding> notes) {
    this.store = store;
    this.notes = notes;
  }

  /** One manifest, read as far as it can be. */
  private final class Candidate implements ManifestScan.Visitor {
    private final long number;
    private final ForestsLeft forests = new ForestsLeft();
    private final List<Finding> damage = new ArrayList<>();
    private long end;
    private boolean isTorn;

    Candidate(long number) {
      this.number = number;
    }

    Path path() {
      return store.path(FileKind.MANIFEST, number);
    }

    boolean isUsable() {
      return end > 0 && forests.hasSnapshot();
    }

    /** Whether nothing of it is missing, so that files it does not name are not needed. */
    boolean isWhole() {
      return forests.isWhole() && !isTorn;
    }

    @Override
    public void record(List<ForestEdit> group) {
      forests.record(group);
    }

    @Override
    public void gap(long offset, long length, String what) {
      damage.add(new Finding(path(), offset, length + " bytes of edits are lost: " + what));
      forests.gap();
    }
  }

  /** Reads the manifests. */
  StoreKnowledge run() {
    Current named = named();
    Candidate chosen = null;
    if (named != null) {
      chosen = read(named.number(), named.uniqueId());
      if (chosen != null && chosen.end < named.snapshotBytes()) {
        chosen.damage.add(
            new Finding(chosen.path(), chosen.end, "the snapshot it begins with is not whole"));
        chosen.forests.gap();
      }
    }
    if (chosen == null || !chosen.isUsable()) {
      chosen = newest(chosen);
    }
    if (chosen == null) {
      notes.add(
          new Finding(
              store.directory(),
              0,
              "no manifest can be read: databases but \"default\" have lost their names, and data that"
                  + " was deleted or overwritten may come back"));
      return StoreKnowledge.NOTHING;
    }
    return judge(chosen);
  }

  private @Nullable Current named() {
    try {
      return store.named();
    } catch (CorruptionException e) {
      notes.add(new Finding(e.file(), e.offset(), e.what()));
      return null;
    }
  }

  /** The newest one with a whole snapshot, preferably without damage; else any. */
  private @Nullable Candidate newest(@Nullable Candidate fallback) {
    List<Long> numbers = store.numbers(FileKind.MANIFEST);
    Candidate usable = null;
    for (int i = numbers.size() - 1; i >= 0; i--) {
      Candidate candidate = read(numbers.get(i), null);
      if (candidate != null && candidate.isUsable()) {
        if (candidate.isWhole()) {
          return candidate;
        }
        usable = usable == null ? candidate : usable;
      }
    }
    return usable == null ? fallback : usable;
  }

  private @Nullable Candidate read(long number, @Nullable Long uniqueId) {
    Candidate candidate = new Candidate(number);
    try {
      ManifestScan.Result result = store.scanManifest(number, uniqueId, candidate);
      candidate.end = result.end();
      candidate.isTorn = result.isTorn();
      if (uniqueId != null && uniqueId != result.uniqueId()) {
        candidate.damage.add(
            new Finding(candidate.path(), 16, "it is not the manifest that CURRENT names"));
        candidate.forests.gap();
      }
      return candidate;
    } catch (CorruptionException | StoreIoException e) {
      notes.add(new Finding(candidate.path(), 0, String.valueOf(e.getMessage())));
      return null;
    }
  }

  private StoreKnowledge judge(Candidate chosen) {
    chosen.damage.forEach(
        finding -> notes.add(new Finding(finding.file(), finding.offset(), finding.what())));
    if (chosen.isTorn) {
      // Either a torn record, on which nothing relied, or lost records, the last of which confirmed
      // that the others were synced.
      chosen.forests.gap();
    }
    StoreKnowledge knowledge = chosen.forests.knowledge();
    if (!knowledge.isWhole() && !chosen.damage.isEmpty()) {
      notes.add(
          new Finding(
              chosen.path(),
              0,
              "edits are missing, so SSTs that it does not name are taken as well; data that was"
                  + " deleted or overwritten may come back"));
    }
    return knowledge;
  }
}
