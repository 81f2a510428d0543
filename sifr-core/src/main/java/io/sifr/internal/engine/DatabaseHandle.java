package io.sifr.internal.engine;

import io.sifr.internal.view.ViewHolder;

/**
 * What the engine keeps for one database: its id, its newest view, and whether it was dropped.
 * Thread-safe.
 */
public final class DatabaseHandle {
  private final StoreEngine engine;
  private final int id;
  private final String name;
  private final ViewHolder view;

  /** Written under the write lock, so no write is under way when it becomes true. */
  private volatile boolean dropped;

  DatabaseHandle(StoreEngine engine, int id, String name, ViewHolder view) {
    this.engine = engine;
    this.id = id;
    this.name = name;
    this.view = view;
  }

  /** Number that stands for the database in the log and the manifest. */
  public int id() {
    return id;
  }

  /** Name the user gave it. */
  public String name() {
    return name;
  }

  StoreEngine engine() {
    return engine;
  }

  ViewHolder view() {
    return view;
  }

  void markDropped() {
    dropped = true;
  }

  /** It was not dropped after all. */
  void takeBack() {
    dropped = false;
  }

  boolean isDropped() {
    return dropped;
  }

  void checkNotDropped() {
    if (dropped) {
      throw new IllegalStateException("database " + name + " was dropped");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
