package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.infinispan.commons.util.IntSets.immutableSet;
import static org.infinispan.commons.util.concurrent.CompletionStages.join;

import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.infinispan.commons.test.CommonsTestingUtil;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.Util;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.persistence.BaseNonBlockingStoreTest;
import org.infinispan.persistence.spi.MarshallableEntry;
import org.infinispan.persistence.spi.NonBlockingStore;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

/** Infinispan's tests of a store, and some of what only this store does. */
@Test(groups = "unit", testName = "io.sifr.infinispan.SifrStoreTest")
public class SifrStoreTest extends BaseNonBlockingStoreTest {
  private final String location = CommonsTestingUtil.tmpDirectory(getClass());

  boolean isSegmented() {
    return true;
  }

  @AfterClass(alwaysRun = true)
  void deleteFiles() {
    Util.recursiveFileRemove(location);
  }

  @Override
  protected NonBlockingStore<Object, Object> createStore() {
    deleteFiles();
    return new SifrStore<>();
  }

  @Override
  protected Configuration buildConfig(ConfigurationBuilder builder) {
    return builder
        .persistence()
        .addStore(SifrStoreConfigurationBuilder.class)
        .location(location)
        .segmented(isSegmented())
        .build();
  }

  public void testSegmentsAreGivenUpAndComeBackEmpty() {
    if (!isSegmented()) {
      return;
    }
    List<MarshallableEntry<Object, Object>> entries = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      MarshallableEntry<Object, Object> entry = entry("key" + i);
      entries.add(entry);
      store.write(entry);
    }
    int givenUp = keyPartitioner.getSegment("key7");
    long inIt = entries.stream().filter(each -> segmentOf(each) == givenUp).count();

    join(store.removeSegments(immutableSet(givenUp)));
    assertThat(count(immutableSet(givenUp))).isZero();
    assertThat(count(segments)).isEqualTo(100 - inIt);
    assertThat(store.contains("key7")).isFalse();

    store.write(entry("key7")); // too late
    assertThat(store.contains("key7")).isFalse();
    join(store.addSegments(immutableSet(givenUp)));
    assertThat(store.contains("key7")).isFalse();
    store.write(entry("key7"));
    assertThat(store.contains("key7")).isTrue();

    join(store.addSegments(segments)); // it has them all
    assertThat(count(segments)).isEqualTo(100 - inIt + 1);
  }

  public void testEachSegmentIsPublishedAlone() {
    for (int i = 0; i < 1_000; i++) {
      store.write(entry("key" + i));
    }
    for (int segment = 0; segment < segmentCount; segment++) {
      int only = segment;
      assertThat(
              Flowable.fromPublisher(store.publishEntries(immutableSet(segment), null, true))
                  .map(this::segmentOf)
                  .toList()
                  .blockingGet())
          .allMatch(found -> found == only)
          .hasSize((int) count(immutableSet(segment)));
    }
    long sum = 0;
    for (int segment = 0; segment < segmentCount; segment++) {
      sum += count(immutableSet(segment));
    }
    assertThat(sum).isEqualTo(1_000);
  }

  public void testAPublisherReadsWhatItIsAskedFor() {
    for (int i = 0; i < 1_000; i++) {
      store.write(entry("key" + i));
    }
    List<Object> keys =
        Flowable.fromPublisher(store.publishKeys(segments, null)).take(3).toList().blockingGet();
    assertThat(keys).hasSize(3);
  }

  public void testAnEntryThatWasWrittenAgainDoesNotExpireAtItsOldTime() {
    store.write(marshalledEntry(internalCacheEntry("key", "old", 1_000)));
    store.write(marshalledEntry(internalCacheEntry("key", "new", 10_000)));
    store.write(marshalledEntry(internalCacheEntry("other", "old", 1_000)));
    store.write(entry("other"));
    timeService.advance(2_000);
    assertThat(purged()).isEmpty();
    assertThat(store.loadEntry("key").getValue()).isEqualTo("new");
    timeService.advance(9_000);
    assertThat(purged()).hasSize(1);
    assertThat(store.contains("key")).isFalse();
    assertThat(store.contains("other")).isTrue();
    assertThat(purged()).isEmpty();
  }

  private MarshallableEntry<Object, Object> entry(String key) {
    return marshalledEntry(internalCacheEntry(key, "value of " + key, -1));
  }

  private List<Object> purged() {
    return Flowable.fromPublisher(store.purgeExpired())
        .map(MarshallableEntry::getKey)
        .toList()
        .blockingGet();
  }

  private int segmentOf(MarshallableEntry<Object, Object> entry) {
    return keyPartitioner.getSegment(entry.getKey());
  }

  private long count(IntSet ofSegments) {
    CompletionStage<Long> size = store.size(ofSegments);
    return join(size);
  }
}
