package io.sifr.internal.state;

import io.sifr.internal.io.CrashPoint;

/** Steps in creating and dropping a database, and in opening and closing the log. */
public enum StateCrashPoint implements CrashPoint {
  /** A database is about to be created. */
  DATABASE_CREATE_BEGUN,
  /** The edit that creates a database is durable. */
  DATABASE_CREATED,
  /** No write to a database that is being dropped is in progress; the manifest still has it. */
  DATABASE_DROP_BEGUN,
  /** The edit that drops a database is durable; its files still exist. */
  DATABASE_DROPPED,

  /**
   * The manifest says where the log begins, and no longer where a closed log ends; nothing is
   * written to it.
   */
  LOG_STARTED,
  /** The obsolete part of the log is deleted; the directory is still locked. */
  CLOSE_LOG_DELETED
}
