package io.sifr.internal.state;

import io.sifr.internal.io.CrashPoint;

/** Steps of creating and dropping a database, and of the log between open and close. */
public enum StateCrashPoint implements CrashPoint {
  /** A database is about to be created. */
  DATABASE_CREATE_BEGUN,
  /** The edit that creates a database is durable. */
  DATABASE_CREATED,
  /** No write to a database that is dropped is under way; the manifest still knows it. */
  DATABASE_DROP_BEGUN,
  /** The edit that drops a database is durable; its files are still there. */
  DATABASE_DROPPED,

  /**
   * The manifest says where the log begins, of one that was closed no longer where it ends; nothing
   * is written to it.
   */
  LOG_STARTED,
  /** What nobody needs of the log is gone; the directory is still locked. */
  CLOSE_LOG_DELETED
}
