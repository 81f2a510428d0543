package io.sifr.internal.sst;

/** The runtime handle of an SST that a forest holds. */
public final class Sst {
  private final SstMeta meta;

  public Sst(SstMeta meta) {
    this.meta = meta;
  }

  public SstMeta meta() {
    return meta;
  }

  public long number() {
    return meta.number();
  }
}
