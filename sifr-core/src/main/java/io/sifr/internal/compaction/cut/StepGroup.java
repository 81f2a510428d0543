package io.sifr.internal.compaction.cut;

/** Neighbouring runs of overlapping SSTs that become one step of a compaction. */
final class StepGroup {
  final double gapBefore;
  int runs;
  long bytes;
  boolean rewritten;

  StepGroup(double gapBefore, long bytes, boolean rewritten) {
    this.gapBefore = gapBefore;
    this.runs = 1;
    this.bytes = bytes;
    this.rewritten = rewritten;
  }

  void absorb(StepGroup next) {
    runs += next.runs;
    bytes += next.bytes;
    rewritten = true;
  }

  /** SSTs that the step leaves. */
  long outputs(long targetBytes) {
    return rewritten ? EvenSplit.pieces(bytes, targetBytes) : 1;
  }

  /** Bytes that are rewritten only because something joins this group. */
  long rewriteBytes() {
    return rewritten ? 0 : bytes;
  }
}
