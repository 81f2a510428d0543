package io.sifr.internal.engine;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.event.StoreListener;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SSTs that cannot be opened together with their store: missing, shortened, damaged,
 * unreadable.
 */
final class UnusableSsts {
  private static final Logger LOG = LoggerFactory.getLogger(UnusableSsts.class);
  private static final String OPEN = "open";

  private record Unusable(String database, SifrException why) {}

  private final List<Unusable> all = new ArrayList<>();

  void add(String database, SifrException why) {
    all.add(new Unusable(database, why));
  }

  /** Reports each of them; the store is opened without them. */
  void tell(StoreListener listener) {
    for (Unusable sst : all) {
      LOG.warn(
          "an SST of the database \"{}\" cannot be used: {}. Reads that need it throw, all others"
              + " are served. \"sifr check\" lists what is damaged, \"sifr salvage\" makes a new"
              + " store of what is whole",
          sst.database(),
          sst.why().getMessage());
      listener.failed(new StoreListener.FailureEvent(OPEN, sst.why()));
    }
  }

  /** Throws an exception that names all of them, if there are any. */
  void refuse() {
    if (all.isEmpty()) {
      return;
    }
    SifrException first =
        all.stream()
            .map(Unusable::why)
            .filter(CorruptionException.class::isInstance)
            .findFirst()
            .orElse(all.get(0).why());
    if (all.size() == 1) {
      throw first;
    }
    String others =
        all.size()
            + " SSTs cannot be used: "
            + all.stream().map(sst -> sst.why().getMessage()).collect(Collectors.joining("; "));
    SifrException named =
        first instanceof CorruptionException damaged
            ? new CorruptionException(damaged.file(), damaged.offset(), others)
            : new SifrException(others);
    all.forEach(sst -> named.addSuppressed(sst.why()));
    throw named;
  }
}
