package io.sifr.internal.io;

import com.google.errorprone.annotations.Immutable;

/**
 * A boundary between steps of work that a crash must not harm. The work says when it passes one
 * ({@link StoreFileSystem#reached}); a test's file system can stop the world there. Each package
 * declares those it passes, as an enum; no two have the same name.
 */
@Immutable
public interface CrashPoint {
  /** Its name. */
  String name();
}
