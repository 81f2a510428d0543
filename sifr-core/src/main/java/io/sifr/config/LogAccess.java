package io.sifr.config;

/**
 * The way in which a store writes its log. Both ways give the same guarantees and the same files;
 * they differ in speed, and in how failures of the file system reach the process.
 */
public enum LogAccess {
  /**
   * Through memory mapped to the log's files, which are filled with zeros first so that a store
   * into them needs no new space. A write costs a copy and no call to the operating system. The
   * default. What an earlier opening has left of the log is continued as with {@link #WRITTEN}.
   *
   * <p>Not for file systems on which overwriting existing bytes can need space (copy-on-write,
   * compression, snapshots, thin provisioning) or which can vanish (network mounts): a store that
   * fails there reaches the JVM as an {@link InternalError} at an unpredictable point.
   */
  MAPPED,

  /**
   * Through one write call of the operating system for each write of the store; some hundred
   * nanoseconds to a microsecond more than {@link #MAPPED}. Every failure is an exception of the
   * write it belongs to. For the file systems that {@link #MAPPED} is not for.
   */
  WRITTEN
}
