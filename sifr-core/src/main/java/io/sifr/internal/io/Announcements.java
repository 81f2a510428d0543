package io.sifr.internal.io;

import io.sifr.spi.ReadAnnouncer;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Iterator;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces to the system what will be read next, by the {@link ReadAnnouncer} of this process, if
 * there is one and it works. What keeps it from working is said once in the log. Thread-safe.
 */
public final class Announcements {
  private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);

  private static final String NO_ANNOUNCER = "there is no module sifr-native-reads";

  private volatile @Nullable ReadAnnouncer announcer;
  private volatile String obstacle;

  /**
   * Those of an announcer.
   *
   * @param found null when there is none
   */
  Announcements(@Nullable ReadAnnouncer found) {
    Optional<String> why = Optional.of(NO_ANNOUNCER);
    if (found != null) {
      why = found.obstacle();
      if (why.isPresent()) {
        LOG.info("reads are not announced to the system: {}", why.get());
      } else {
        LOG.info("reads are announced to the system by {}", found.getClass().getName());
      }
    }
    this.announcer = why.isPresent() ? null : found;
    this.obstacle = why.orElse("");
  }

  /** Those of this process. */
  public static Announcements ofThisProcess() {
    return OfThisProcess.INSTANCE;
  }

  /** Whether they are possible. */
  boolean arePossible() {
    return announcer != null;
  }

  /** What keeps reads from being announced; empty if nothing does. */
  String obstacle() {
    return obstacle;
  }

  /** Has the system begin to read bytes of a mapping, if that is possible. Does not wait. */
  void announce(ByteBuffer buffer, int from, int length) {
    ReadAnnouncer used = announcer;
    if (used != null && buffer.slice(from, length) instanceof MappedByteBuffer mapped) {
      try {
        if (!used.announce(mapped)) {
          stop("it has refused an announcement");
        }
      } catch (RuntimeException | LinkageError e) {
        stop(e.toString());
      }
    }
  }

  private synchronized void stop(String why) {
    if (announcer != null) {
      announcer = null;
      obstacle = why;
      LOG.warn("reads are not announced to the system any more: {}", why);
    }
  }

  /** Found by the first use. */
  private static final class OfThisProcess {
    private static final Announcements INSTANCE = new Announcements(find());

    private OfThisProcess() {}

    private static @Nullable ReadAnnouncer find() {
      try {
        Iterator<ReadAnnouncer> all =
            ServiceLoader.load(ReadAnnouncer.class, ReadAnnouncer.class.getClassLoader())
                .iterator();
        return all.hasNext() ? all.next() : null;
      } catch (ServiceConfigurationError e) {
        LOG.warn("reads are not announced to the system: {}", e.toString());
        return null;
      }
    }
  }
}
