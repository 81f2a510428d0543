package io.sifr.internal.search;

/** What searchers believe of the disk, and of those that read from it. */
final class Load {
  private Load() {}

  /** As if reads had taken so long for a while. */
  static void readsTake(Searchers searchers, long nanos) {
    for (int i = 0; i < 200; i++) {
      searchers.readTimes().took(nanos);
    }
  }

  /**
   * As if as many callers were reading as there are processors; so that one more is one too many.
   *
   * @return how many they are
   */
  static int onAllProcessors(Searchers searchers) {
    int processors = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < processors; i++) {
      searchers.callerBegins();
    }
    return processors;
  }
}
