package io.sifr.internal.volume;

import io.sifr.event.SstPlace;

/** The devices that a store may use besides its own. */
enum Tier {
  /** Has the SSTs of the first stage. */
  FAST(VolumeMark.FAST, "fast directory", "fastDirectory", SstPlace.FAST),

  /**
   * Has the SSTs of last stages, perhaps on object storage that is mounted: files are written from
   * the start and never changed or renamed, nor locked, which not all of those can do.
   */
  COLD(VolumeMark.COLD, "cold directory", "coldDirectory", SstPlace.COLD);

  private final String mark;
  private final String role;
  private final String setting;
  private final SstPlace place;

  Tier(String mark, String role, String setting, SstPlace place) {
    this.mark = mark;
    this.role = role;
    this.setting = setting;
    this.place = place;
  }

  /** Name of the mark in the store's directory. */
  String mark() {
    return mark;
  }

  /** What a directory of the tier is to its store, for messages. */
  String role() {
    return role;
  }

  /** The setting that gives it. */
  String setting() {
    return setting;
  }

  /** What users call its place. */
  SstPlace place() {
    return place;
  }

  /** Whether an open store holds a lock file in it. */
  boolean isLocked() {
    return this == FAST;
  }
}
