package io.sifr.event;

import java.util.List;

/**
 * The forest of one database at one moment: stages, trees, SSTs.
 *
 * @param database name of the database
 * @param stages stage 1 first; empty stages included
 */
public record ForestShape(String database, List<Stage> stages) {

  /** An immutable copy. */
  public ForestShape {
    stages = List.copyOf(stages);
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
   */
  @SuppressWarnings("ArrayRecordComponent") // a report, never compared
  public record Sst(
      long number,
      long bytes,
      long entries,
      long tombstones,
      byte[] smallestKey,
      byte[] largestKey) {}
}
