package io.sifr.crash;

import static io.sifr.internal.background.BackgroundCrashPoint.CLEAN_BEFORE_DELETE;
import static io.sifr.internal.background.BackgroundCrashPoint.CLEAN_DELETED;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_CHOSEN;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_ENDED;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_INPUTS_RETIRED;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_NAMES_DURABLE;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_OUTPUT_VERIFIED;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_PROGRESS_DURABLE;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_PROGRESS_PUBLISHED;
import static io.sifr.internal.background.BackgroundCrashPoint.COMPACTION_SUSPENDED;
import static io.sifr.internal.background.BackgroundCrashPoint.FLUSH_COMMITTED;
import static io.sifr.internal.background.BackgroundCrashPoint.FLUSH_FILES_DURABLE;
import static io.sifr.internal.background.BackgroundCrashPoint.FLUSH_PUBLISHED;
import static io.sifr.internal.background.BackgroundCrashPoint.MOVE_CHOSEN;
import static io.sifr.internal.background.BackgroundCrashPoint.MOVE_DURABLE;
import static io.sifr.internal.background.BackgroundCrashPoint.MOVE_PUBLISHED;
import static io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint.COMPACTION_OUTPUT_SYNCED;
import static io.sifr.internal.engine.StoreCrashPoint.CLOSE_COMMITTED;
import static io.sifr.internal.engine.StoreCrashPoint.CLOSE_STOPPED;
import static io.sifr.internal.manifest.ManifestCrashPoint.MANIFEST_OLD_DELETED;
import static io.sifr.internal.manifest.ManifestCrashPoint.MANIFEST_SWAPPED;
import static io.sifr.internal.manifest.ManifestCrashPoint.MANIFEST_WRITTEN;

import io.sifr.internal.io.CrashPoint;
import io.sifr.testing.CrashDisk.Call;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * The steps of a merge with early cleaning between which the design names crash points, C0 to C24:
 * in which calls, or at which named points of the engine, the machine has to die for each of them.
 * The journal of the design is records in the manifest here, so some steps fall away; what is done
 * instead takes their place.
 */
enum DesignStep {
  C0("choose the inputs of a merge", at(COMPACTION_CHOSEN)),
  C1(
      "no journal file is created: the first record of a merge in the manifest",
      merging((call, watch) -> watch.commits() == 0 && isCall(call, "write to|sync", ".manifest"))),
  C2("create an output", merging((call, watch) -> isCall(call, "create", ".sst"))),
  C3("write an output", merging((call, watch) -> isCall(call, "append to", ".sst"))),
  C4("sync an output", merging((call, watch) -> isCall(call, "sync", ".sst"))),
  C5("read back and verify an output", at(COMPACTION_OUTPUT_SYNCED, COMPACTION_OUTPUT_VERIFIED)),
  C6(
      "sync the names of outputs",
      merging(
          (call, watch) ->
              isCall(call, "sync", CrashRound.DIRECTORY.toString())
                  || Aim.passes(call, COMPACTION_NAMES_DURABLE))),
  C7(
      "write the progress of a merge to the manifest",
      merging((call, watch) -> isCall(call, "write to", ".manifest"))),
  C8("sync the progress of a merge", merging((call, watch) -> isCall(call, "sync", ".manifest"))),
  C9(
      "publish the progress of a merge",
      at(COMPACTION_PROGRESS_DURABLE, COMPACTION_PROGRESS_PUBLISHED)),
  C10("wait for readers of inputs", at(COMPACTION_INPUTS_RETIRED, CLEAN_BEFORE_DELETE)),
  C11(
      "delete an input",
      watching((call, watch) -> isCall(call, "delete", ".sst") || isAt(call, CLEAN_DELETED))),
  C12("commit again and again", merging((call, watch) -> watch.commits() > 0)),
  C13("move an SST", at(MOVE_CHOSEN, MOVE_DURABLE, MOVE_PUBLISHED)),
  C14(
      "a merge without any output",
      MergeScenarios.NOTHING_LEFT,
      merging(
          (call, watch) ->
              isNoOutput(call)
                  && (isCall(call, "write to|sync", ".manifest")
                      || isAt(
                          call,
                          COMPACTION_PROGRESS_DURABLE,
                          COMPACTION_PROGRESS_PUBLISHED,
                          COMPACTION_ENDED)))),
  C15(
      "no edit of its own ends a merge: its last progress",
      MergeScenarios.ONE_COMMIT,
      merging((call, watch) -> isCall(call, "write to|sync", ".manifest") && isOnlyCommit(watch))),
  C16(
      "publish the tree of a merge that is over",
      MergeScenarios.ONE_COMMIT,
      at(COMPACTION_PROGRESS_DURABLE, COMPACTION_PROGRESS_PUBLISHED)),
  C17(
      "delete the inputs of a merge that is over",
      MergeScenarios.ONE_COMMIT,
      watching(
          (call, watch) ->
              isCall(call, "delete", ".sst")
                  || isAt(call, COMPACTION_INPUTS_RETIRED, CLEAN_DELETED))),
  C18("no journal file is deleted: the end of a merge", at(COMPACTION_ENDED)),
  C19(
      "open a store with an unfinished merge",
      unfinished(),
      watching((call, watch) -> !watch.isOpen())),
  C20(
      "commit for the first time after going on, in the same manifest or a new one",
      unfinished(),
      merging(
          (call, watch) ->
              watch.hasResumed()
                  && watch.commits() == 0
                  && isCall(call, "write to|sync", ".manifest"))),
  C21(
      "close within a merge",
      watching(
          (call, watch) ->
              isAt(call, COMPACTION_SUSPENDED)
                  || (watch.hasSuspended() && isAt(call, CLOSE_STOPPED, CLOSE_COMMITTED)))),
  C22_WHEN_OPENED(
      "start a new manifest with an unfinished merge",
      unfinished(),
      watching(
          (call, watch) ->
              !watch.isOpen()
                  && (isCall(call, ".*", ".manifest|CURRENT.tmp")
                      || isAt(call, MANIFEST_WRITTEN, MANIFEST_SWAPPED, MANIFEST_OLD_DELETED)))),
  C22_WHILE_OPEN(
      "rewrite the manifest while a merge runs",
      MergeScenarios.LARGE_MANIFEST,
      watching(
          (call, watch) ->
              watch.isOpen()
                  && watch.isAnyRunning()
                  && isAt(call, MANIFEST_WRITTEN, MANIFEST_SWAPPED, MANIFEST_OLD_DELETED))),
  C23(
      "commit a flush while a merge runs",
      watching(
          (call, watch) ->
              watch.isAnyRunning()
                  && isAt(call, FLUSH_FILES_DURABLE, FLUSH_COMMITTED, FLUSH_PUBLISHED))),
  C24(
      "what a copy of all files within a merge holds; checkpoints are in CopiesCrashTest",
      merging((call, watch) -> true));

  private final String text;
  private final MergeScenarios scenario;

  @SuppressWarnings("ImmutableEnumChecker") // the suppliers keep nothing
  private final List<Supplier<Aim>> aims;

  DesignStep(String text, Supplier<Aim> aim) {
    this(text, MergeScenarios.SMALL_MERGES, List.of(aim));
  }

  DesignStep(String text, MergeScenarios scenario, Supplier<Aim> aim) {
    this(text, scenario, List.of(aim));
  }

  /** A step of a life after a crash. */
  DesignStep(String text, Supplier<Aim> earlier, Supplier<Aim> aim) {
    this(text, MergeScenarios.SMALL_MERGES, List.of(earlier, aim));
  }

  DesignStep(String text, MergeScenarios scenario, List<Supplier<Aim>> aims) {
    this.text = text;
    this.scenario = scenario;
    this.aims = aims;
  }

  /** What is done to the store. */
  Scenario scenario() {
    return scenario.scenario();
  }

  /** Where the machine dies, in one life of the store after the other. */
  List<Aim> aims() {
    List<Aim> fresh = new ArrayList<>();
    aims.forEach(aim -> fresh.add(aim.get()));
    return fresh;
  }

  private static Supplier<Aim> at(CrashPoint... points) {
    return () -> (call, moment) -> isAt(call, points);
  }

  private static boolean isAt(Call call, CrashPoint... points) {
    return Arrays.stream(points).anyMatch(point -> Aim.passes(call, point));
  }

  private static boolean isCall(Call call, String operations, String suffixes) {
    return call.operation().matches(operations)
        && call.path().toString().matches(".*(" + suffixes.replace(".", "\\.") + ")");
  }

  private static Supplier<Aim> watching(BiPredicate<Call, MergeWatch> wanted) {
    return () -> {
      MergeWatch watch = new MergeWatch();
      return (call, moment) -> {
        watch.see(call, moment);
        return wanted.test(call, watch);
      };
    };
  }

  private static Supplier<Aim> merging(BiPredicate<Call, MergeWatch> wanted) {
    return watching((call, watch) -> watch.isMerging() && wanted.test(call, watch));
  }

  /** An output is not committed and others are: the merge is neither new nor over. */
  static Supplier<Aim> unfinished() {
    return merging((call, watch) -> watch.commits() > 0 && isAt(call, COMPACTION_OUTPUT_SYNCED));
  }

  private static boolean isNoOutput(Call call) {
    if (isCall(call, "create", ".sst")) {
      throw new AssertionError(call + " although there is nothing to write");
    }
    return true;
  }

  private static boolean isOnlyCommit(MergeWatch watch) {
    if (watch.commits() > 0) {
      throw new AssertionError("a merge that was to commit once does so again");
    }
    return true;
  }

  @Override
  public String toString() {
    return name() + ": " + text;
  }
}
