package io.sifr.cli;

import io.sifr.cli.terminal.SizeConverter;
import io.sifr.config.FilterMode;
import io.sifr.config.MergeTrigger;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Settings of the store that govern what a command writes. */
final class TuningMixin {
  @Option(
      names = "--write-buffer",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Memory a database fills before it is flushed, for instance 4MiB.")
  private @Nullable Long writeBuffer;

  @Option(
      names = "--split-unit",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Size aimed at for an SST, for instance 2MiB.")
  private @Nullable Long splitUnit;

  @Option(
      names = "--growth-factor",
      paramLabel = "N",
      description = "Trees of a stage that are merged into one of the next.")
  private @Nullable Integer growthFactor;

  @Option(
      names = "--merge-trigger",
      paramLabel = "WHEN",
      description = "When they are merged: ${COMPLETION-CANDIDATES}.")
  private @Nullable MergeTrigger mergeTrigger;

  @Option(
      names = "--cleaning-threshold",
      paramLabel = "N",
      description = "SSTs a merge writes before it deletes the inputs they replace.")
  private @Nullable Integer cleaningThreshold;

  @Option(
      names = "--no-early-cleaning",
      description = "Delete the inputs of a merge only when it ends.")
  private boolean noEarlyCleaning;

  @Option(
      names = "--refuse-damaged",
      description = "Do not open a store of which some SSTs cannot be read.")
  private boolean refuseDamaged;

  @Option(
      names = "--read-mode",
      paramLabel = "MODE",
      description = "How blocks come into memory: ${COMPLETION-CANDIDATES}.")
  private @Nullable ReadMode readMode;

  @Option(
      names = "--block-cache",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Blocks kept in memory that were read by position, for instance 64MiB.")
  private @Nullable Long blockCache;

  @Option(
      names = "--filter-mode",
      paramLabel = "MODE",
      description = "Where the filters of SSTs are: ${COMPLETION-CANDIDATES}.")
  private @Nullable FilterMode filterMode;

  @Option(
      names = "--filter-bits",
      paramLabel = "N",
      description = "Bits a key of filters that are made.")
  private @Nullable Integer filterBits;

  @Option(
      names = "--filter-cache",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Memory for filters with --filter-mode HOT, for instance 64MiB.")
  private @Nullable Long filterCache;

  /** Settings that default to those of the store. */
  TuningMixin() {
    this(null);
  }

  /** The same with another default for the write buffer. */
  TuningMixin(@Nullable Long writeBuffer) {
    this.writeBuffer = writeBuffer;
  }

  /** A builder with the settings that were given, and the defaults of the store for the others. */
  StoreOptions.Builder options() {
    StoreOptions.Builder options = StoreOptions.builder();
    if (writeBuffer != null) {
      options.writeBufferBytes(writeBuffer);
    }
    if (splitUnit != null) {
      options.splitUnitBytes(splitUnit);
    }
    if (growthFactor != null) {
      options.growthFactor(growthFactor);
    }
    if (mergeTrigger != null) {
      options.mergeTrigger(mergeTrigger);
    }
    if (cleaningThreshold != null) {
      options.cleaningThreshold(cleaningThreshold);
    }
    if (readMode != null) {
      options.readMode(readMode);
    }
    if (blockCache != null) {
      options.blockCacheBytes(blockCache);
    }
    if (filterMode != null) {
      options.filterMode(filterMode);
    }
    if (filterBits != null) {
      options.filterBitsPerKey(filterBits);
    }
    if (filterCache != null) {
      options.filterCacheBytes(filterCache);
    }
    return options.earlyCleaning(!noEarlyCleaning).openIfDamaged(!refuseDamaged);
  }

  /** The options that give another process of this program the same settings. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    addArgument(arguments, "--write-buffer", writeBuffer);
    addArgument(arguments, "--split-unit", splitUnit);
    addArgument(arguments, "--growth-factor", growthFactor);
    addArgument(arguments, "--merge-trigger", mergeTrigger);
    addArgument(arguments, "--cleaning-threshold", cleaningThreshold);
    addArgument(arguments, "--read-mode", readMode);
    addArgument(arguments, "--block-cache", blockCache);
    addArgument(arguments, "--filter-mode", filterMode);
    addArgument(arguments, "--filter-bits", filterBits);
    addArgument(arguments, "--filter-cache", filterCache);
    if (noEarlyCleaning) {
      arguments.add("--no-early-cleaning");
    }
    if (refuseDamaged) {
      arguments.add("--refuse-damaged");
    }
    return arguments;
  }

  private static void addArgument(List<String> arguments, String name, @Nullable Object value) {
    if (value != null) {
      arguments.add(name + "=" + value);
    }
  }
}
