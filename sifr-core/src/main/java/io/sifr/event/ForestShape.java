package io.sifr.event;

import java.util.Comparator;
import java.util.List;

/**
 * The forest of one database at one moment: stages, trees, SSTs, and the value files to which the
 * SSTs refer.
 *
 * @param database name of the database
 * @param stages stage 1 first; empty stages included
 * @param valueFiles the emptiest first: the one of which the smallest part is needed
 */
public record ForestShape(String database, List<Stage> stages, List<ValueFile> valueFiles) {

  /** An immutable copy. */
  public ForestShape {
    stages = List.copyOf(stages);
    valueFiles = valueFiles.stream().sorted(Comparator.comparingDouble(ValueFile::part)).toList();
  }

  /** Trees in all stages. */
  public int trees() {
    return stages.stream().mapToInt(stage -> stage.trees().size()).sum();
  }

  /** SSTs in all trees. */
  public int ssts() {
    return stages.stream()
        .flatMap(stage -> stage.trees().stream())
        .mapToInt(tree -> tree.ssts().size())
        .sum();
  }

  /** Bytes of the values in all value files, needed or not. */
  public long valueBytes() {
    return valueFiles.stream().mapToLong(ValueFile::bytes).sum();
  }

  /** Those of them that SSTs refer to. */
  public long referredValueBytes() {
    return valueFiles.stream().mapToLong(ValueFile::referredBytes).sum();
  }

  /** Bytes of all SSTs. */
  public long bytes() {
    return stages.stream().flatMap(stage -> stage.trees().stream()).mapToLong(Tree::bytes).sum();
  }

  /**
   * A stage.
   *
   * @param number 1, 2, …
   * @param trees newest first
   */
  public record Stage(int number, List<Tree> trees) {
    /** An immutable copy. */
    public Stage {
      trees = List.copyOf(trees);
    }
  }

  /**
   * A logical tree.
   *
   * @param id number of the tree, unique in the store
   * @param ssts in key order
   */
  public record Tree(long id, List<Sst> ssts) {
    /** An immutable copy. */
    public Tree {
      ssts = List.copyOf(ssts);
    }

    /** Bytes of its SSTs. */
    public long bytes() {
      return ssts.stream().mapToLong(Sst::bytes).sum();
    }

    /** Entries of its SSTs. */
    public long entries() {
      return ssts.stream().mapToLong(Sst::entries).sum();
    }
  }

  /**
   * A sorted immutable file.
   *
   * @param number number in its file name
   * @param bytes its size
   * @param entries entries, tombstones included
   * @param tombstones tombstones among them
   * @param smallestKey first key that it holds, or that a range tombstone in it deletes
   * @param largestKey last such key; eight bytes {@code ff} if a range tombstone has no end
   * @param place the directory that it lies in
   */
  @SuppressWarnings("ArrayRecordComponent") // a report, never compared
  public record Sst(
      long number,
      long bytes,
      long entries,
      long tombstones,
      byte[] smallestKey,
      byte[] largestKey,
      SstPlace place) {}

  /**
   * A file with values that are apart from their keys.
   *
   * @param number number in its file name
   * @param bytes those of all values in it
   * @param referredBytes those of the values that SSTs refer to, also when newer SSTs hide them; at
   *     most {@code bytes}
   */
  public record ValueFile(long number, long bytes, long referredBytes) {
    private double part() {
      return bytes == 0 ? 0 : (double) referredBytes / bytes;
    }
  }
}
