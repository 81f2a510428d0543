package io.sifr.testing;

import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/** Holds up each force of a mapped log until it is let go, and tells when one has begun. */
public final class HeldForces extends ForwardingFileSystem {
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayGoOn = new Semaphore(0);

  /** On the disk. */
  public HeldForces() {
    this(new DiskFileSystem());
  }

  /** On another file system, which a force reaches once it is let go. */
  public HeldForces(StoreFileSystem delegate) {
    super(delegate);
  }

  /** Has a permit for each force that has begun. */
  public Semaphore begun() {
    return begun;
  }

  /** Each force takes a permit of it before it reaches the disk. */
  public Semaphore mayGoOn() {
    return mayGoOn;
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    return new ForwardingMappedRegion(super.mapForWrite(file, size)) {
      @Override
      public void force(int from, int length) {
        begun.release();
        mayGoOn.acquireUninterruptibly();
        super.force(from, length);
      }
    };
  }
}
