package io.sifr.internal.background;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.CatalogStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports SSTs and values that cannot be used, or not as a whole, when that is found out: missing,
 * shortened, damaged, unreadable. Thread-safe.
 */
public final class UnusableSsts {
  private static final Logger LOG = LoggerFactory.getLogger(UnusableSsts.class);
  private static final String OPEN = "open";

  private final StoreListener listener;
  private final CatalogStore catalog;
  private final BackgroundThreads threads;

  /** The names of the databases by SST, in this catalog: all files may be missing. */
  private final Map<Long, String> databases = new HashMap<>();

  private Catalog named = Catalog.EMPTY;

  /**
   * @param catalog shows which database an SST belongs to
   * @param threads call the listener: the thread that finds out holds locks
   */
  public UnusableSsts(StoreListener listener, CatalogStore catalog, BackgroundThreads threads) {
    this.listener = listener;
    this.catalog = catalog;
    this.threads = threads;
  }

  /** Reports an SST soon. */
  public void found(long number, SifrException why) {
    threads.executeLater(() -> tell(number, why), 0);
  }

  /** Reports a value that a check of its file has found to be damaged, soon. */
  public void foundValue(CorruptionException why) {
    threads.executeLater(() -> tell(why), 0);
  }

  private void tell(CorruptionException why) {
    LOG.warn(
        "{}. Reads of this value throw; all others are served, unless \"sifr check\" lists more that"
            + " is damaged",
        why.getMessage());
    listener.failed(new StoreListener.FailureEvent(OPEN, why));
  }

  private void tell(long number, SifrException why) {
    LOG.warn(
        "an SST of the database \"{}\" cannot be used, or not all of it: {}. Reads that need this"
            + " throw, or do without a filter; all others are served. \"sifr check\" lists what is"
            + " damaged, \"sifr salvage\" makes a new store of what is whole",
        database(number),
        why.getMessage());
    listener.failed(new StoreListener.FailureEvent(OPEN, why));
  }

  /** Called by one thread. */
  private String database(long number) {
    Catalog now = catalog.catalog();
    if (!now.equals(named)) {
      databases.clear();
      for (Forest forest : now.forests()) {
        forest.ssts().forEach(sst -> databases.put(sst.number(), IndexName.text(forest.name())));
      }
      named = now;
    }
    return databases.getOrDefault(number, "");
  }

  /** Opens SSTs, and throws an exception that names all that cannot be opened, if there are any. */
  public static void refuse(List<Sst> ssts) {
    List<SifrException> all = new ArrayList<>();
    for (Sst sst : ssts) {
      try {
        var unused = sst.reader();
      } catch (CorruptionException | StoreIoException e) {
        all.add(e);
      }
    }
    if (all.isEmpty()) {
      return;
    }
    SifrException first =
        all.stream().filter(CorruptionException.class::isInstance).findFirst().orElse(all.get(0));
    if (all.size() == 1) {
      throw first;
    }
    String others =
        all.size()
            + " SSTs cannot be used: "
            + all.stream().map(Throwable::getMessage).collect(Collectors.joining("; "));
    SifrException named =
        first instanceof CorruptionException damaged
            ? damaged.retold(damaged.file(), others)
            : new SifrException(others);
    all.forEach(named::addSuppressed);
    throw named;
  }
}
