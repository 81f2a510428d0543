package io.sifr.infinispan;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.infinispan.commons.configuration.ConfiguredBy;
import org.infinispan.commons.util.IntSet;
import org.infinispan.persistence.PersistenceUtil;
import org.infinispan.persistence.spi.InitializationContext;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.infinispan.persistence.spi.PersistenceException;
import org.infinispan.util.concurrent.BlockingManager;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * The store of one cache on one node, in a directory of its own: what Infinispan writes survives a
 * restart of the node, and a cache can hold more than the memory does. {@link
 * SifrStoreConfigurationBuilder} adds it to a cache.
 *
 * <p>A segment of the cache is a range of keys. What has expired is not returned any more, and is
 * deleted when Infinispan calls for it, with an event for each entry.
 *
 * <p>A write is in the store's log when its stage completes; with the setting {@code durability} at
 * {@code sync} it also is on the disk. The batches that Infinispan hands over are written in parts
 * of {@code max-batch-size} entries, each of them whole or not at all. Entries are published as
 * they were when the publisher was subscribed to, and read when they are requested.
 *
 * <p>No call waits for a disk: everything runs on Infinispan's threads for that. A store whose disk
 * has failed is no longer available. Thread-safe.
 *
 * @param <K> type of the keys
 * @param <V> type of the values
 */
@ConfiguredBy(SifrStoreConfiguration.class)
public final class SifrStore<K, V> implements NonBlockingStore<K, V> {
  private static final String DIRECTORY = "sifr";

  private @Nullable Path directory;
  private @Nullable BlockingManager blocking;
  private int maxBatchSize;
  private volatile @Nullable CacheEntries<K, V> entries;
  private volatile boolean hasFailed;

  /** A store that is not started; Infinispan calls this. */
  public SifrStore() {}

  @Override
  public CompletionStage<Void> start(InitializationContext context) {
    SifrStoreConfiguration configuration = context.getConfiguration();
    String cache = context.getCache().getName();
    Path found =
        PersistenceUtil.getQualifiedLocation(
            context.getGlobalConfiguration(), configuration.location(), cache, DIRECTORY);
    StoreOptions options = configuration.options();
    int segments =
        configuration.segmented()
            ? context.getCache().getCacheConfiguration().clustering().hash().numSegments()
            : 0;
    directory = found;
    blocking = context.getBlockingManager();
    maxBatchSize = configuration.maxBatchSize();
    hasFailed = false;
    return context
        .getBlockingManager()
        .runBlocking(
            () -> {
              try {
                entries = CacheEntries.open(found, options, segments, context);
              } catch (SifrException e) {
                throw new PersistenceException(
                    "The store of the cache " + cache + " cannot be opened", e);
              }
            },
            "sifr-start");
  }

  @Override
  public CompletionStage<Void> stop() {
    return whenStopped(any -> {});
  }

  @Override
  public CompletionStage<Void> destroy() {
    return whenStopped(Store::destroy);
  }

  /** Stops, if it was started, and then does something with the directory. */
  private CompletionStage<Void> whenStopped(Consumer<Path> action) {
    Path stopped = required(directory);
    return required(blocking)
        .runBlocking(
            () -> {
              CacheEntries<K, V> open = entries;
              entries = null;
              if (open != null) {
                open.close();
              }
              action.accept(stopped);
            },
            "sifr-stop");
  }

  @Override
  public Set<Characteristic> characteristics() {
    return EnumSet.of(
        Characteristic.BULK_READ, Characteristic.EXPIRATION, Characteristic.SEGMENTABLE);
  }

  @Override
  public CompletionStage<Boolean> isAvailable() {
    return started(open -> !hasFailed, "sifr-available");
  }

  @Override
  public CompletionStage<@Nullable MarshallableEntry<K, V>> load(int segment, Object key) {
    return started(open -> open.load(segment, key), "sifr-load");
  }

  @Override
  public CompletionStage<Void> write(
      int segment, MarshallableEntry<? extends K, ? extends V> entry) {
    return change(open -> open.write(List.of(open.put(segment, entry))), "sifr-write");
  }

  /**
   * Deletes an entry.
   *
   * @return a stage that completes with {@code null}: the store does not look whether there was one
   */
  @Override
  public CompletionStage<@Nullable Boolean> delete(int segment, Object key) {
    return change(open -> open.write(List.of(open.delete(segment, key))), "sifr-delete")
        .thenApply(done -> null);
  }

  @Override
  public CompletionStage<Void> batch(
      int publisherCount,
      Publisher<SegmentedPublisher<Object>> removePublisher,
      Publisher<SegmentedPublisher<MarshallableEntry<K, V>>> writePublisher) {
    CacheEntries<K, V> open = required(entries);
    Flowable<CacheEntries.Change> deletes =
        Flowable.fromPublisher(removePublisher)
            .flatMap(
                ofSegment ->
                    Flowable.fromPublisher(ofSegment)
                        .map(key -> open.delete(ofSegment.getSegment(), key)),
                publisherCount);
    Flowable<CacheEntries.Change> puts =
        Flowable.fromPublisher(writePublisher)
            .flatMap(
                ofSegment ->
                    Flowable.fromPublisher(ofSegment)
                        .map(entry -> open.put(ofSegment.getSegment(), entry)),
                publisherCount);
    // Neither of the two publishes anything before both are subscribed to, which merge does.
    return Flowable.merge(deletes, puts)
        .buffer(maxBatchSize)
        .concatMapCompletable(
            changes ->
                Completable.fromCompletionStage(change(any -> any.write(changes), "sifr-batch")))
        .toCompletionStage(null);
  }

  @Override
  public Publisher<MarshallableEntry<K, V>> publishEntries(
      @Nullable IntSet segments, @Nullable Predicate<? super K> filter, boolean includeValues) {
    return required(blocking).blockingPublisher(required(entries).entries(segments, filter));
  }

  @Override
  public Publisher<K> publishKeys(
      @Nullable IntSet segments, @Nullable Predicate<? super K> filter) {
    return Flowable.fromPublisher(publishEntries(segments, filter, false))
        .map(MarshallableEntry::getKey);
  }

  @Override
  public CompletionStage<Long> size(@Nullable IntSet segments) {
    return started(open -> open.count(segments), "sifr-size");
  }

  @Override
  public CompletionStage<Long> approximateSize(@Nullable IntSet segments) {
    return started(open -> open.estimatedCount(segments), "sifr-approximate-size");
  }

  @Override
  public Publisher<MarshallableEntry<K, V>> purgeExpired() {
    return required(blocking).blockingPublisher(required(entries).purgeExpired());
  }

  @Override
  public CompletionStage<Void> addSegments(IntSet segments) {
    return change(open -> open.addSegments(segments), "sifr-add-segments");
  }

  @Override
  public CompletionStage<Void> removeSegments(IntSet segments) {
    return change(open -> open.removeSegments(segments), "sifr-remove-segments");
  }

  @Override
  public CompletionStage<Void> clear() {
    return change(CacheEntries::clear, "sifr-clear");
  }

  private CompletionStage<Void> change(Consumer<CacheEntries<K, V>> change, String trace) {
    return started(
            open -> {
              try {
                change.accept(open);
                return true;
              } catch (StoreFailedException e) {
                hasFailed = true;
                throw e;
              }
            },
            trace)
        .thenApply(done -> null);
  }

  private <T extends @Nullable Object> CompletionStage<T> started(
      Function<CacheEntries<K, V>, T> call, String trace) {
    CacheEntries<K, V> open = required(entries);
    return required(blocking)
        .supplyBlocking(
            () -> {
              try {
                return call.apply(open);
              } catch (SifrException e) {
                throw new PersistenceException(e);
              }
            },
            trace);
  }

  private static <T> T required(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the store is not started");
    }
    return part;
  }
}
