package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn calls of drawn parts of a map, of their parts and of all their views, beside the same calls
 * of a {@link TreeMap} and a {@link ConcurrentSkipListMap}: same results, same classes of
 * exceptions, same contents afterwards. Where these two differ, a map does what the first does;
 * given a null, which only the first takes as a value, it does what one of them does or throws a
 * NullPointerException.
 */
@Tag("model")
class PartsOfMapsTest {
  private static final int ROUNDS = Integer.getInteger("sifr.map.rounds", 10_000);

  /** Bounds and keys are drawn from it, so that each often is one of the others or next to it. */
  private static final int KEYS = 12;

  @TempDir Path directory;

  /** A call, which can be made of several maps. */
  private interface Call {
    @Nullable Object of(NavigableMap<Integer, String> map);
  }

  private record Named(String name, Call call) {
    @Override
    public String toString() {
      return name;
    }
  }

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** What the functions that are given to a map have been called with. */
  private final List<String> calls = new ArrayList<>();

  private boolean hasNull;

  @Test
  void partsDoWhatThoseOfATreeMapDo() {
    System.out.println("PartsOfMapsTest: seed " + seed);
    try (Store store =
        TestStores.open(
            directory, StoreOptions.DEFAULT, new NoSyncFileSystem(new DiskFileSystem()))) {
      SifrMap<Integer, String> map =
          SifrMap.over(store.database(), Codecs.integers(), Codecs.strings());
      NavigableMap<Integer, String> tree = new TreeMap<>();
      NavigableMap<Integer, String> skipList = new ConcurrentSkipListMap<>();
      Map<String, String> differences = new TreeMap<>();
      for (int round = 0; round < ROUNDS; round++) {
        refill(map, tree, skipList);
        hasNull = false;
        Named drawn = random.nextInt(3) == 0 ? ofAView() : ofAMap();
        List<Named> parts = drawnParts();
        String wanted = outcome(tree, parts, drawn.call);
        String other = outcome(skipList, parts, drawn.call);
        String actual = outcome(map, parts, drawn.call);
        if (!actual.equals(wanted) && !(hasNull && isRightForNull(actual, other))) {
          differences.putIfAbsent(
              drawn.name.replaceFirst(" .*", ""),
              "%s of %s: %s, but in a tree %s, in a skip list %s"
                  .formatted(drawn, parts, actual, wanted, other));
        }
      }
      assertThat(differences).as("seed " + seed).isEmpty();
    }
  }

  private static boolean isRightForNull(String actual, String other) {
    return actual.equals(other) || actual.startsWith("NullPointerException");
  }

  /** Same contents for all: half of the keys. */
  private void refill(
      SifrMap<Integer, String> map,
      NavigableMap<Integer, String> tree,
      NavigableMap<Integer, String> skipList) {
    int key = random.nextInt(KEYS);
    tree.remove(key);
    for (int more = 0; more < 2; more++) {
      int added = random.nextInt(KEYS);
      tree.put(added, "v" + random.nextInt(4));
    }
    tree.values().removeIf(value -> value == null);
    while (tree.size() > KEYS / 2) {
      tree.remove(random.nextInt(KEYS));
    }
    skipList.clear();
    skipList.putAll(tree);
    if (!map.equals(tree)) {
      map.clear();
      map.putAll(tree);
    }
  }

  private String outcome(NavigableMap<Integer, String> whole, List<Named> parts, Call call) {
    calls.clear();
    String result = result(whole, parts, call);
    return result + ", called with " + calls + ", leaves " + shown(whole);
  }

  @SuppressWarnings("unchecked")
  private static String result(NavigableMap<Integer, String> whole, List<Named> parts, Call call) {
    try {
      NavigableMap<Integer, String> part = whole;
      for (Named each : parts) {
        part = (NavigableMap<Integer, String>) Objects.requireNonNull(each.call.of(part));
      }
      return shown(call.of(part));
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String shown(@Nullable Object result) {
    if (result instanceof Map<?, ?> map) {
      return shown(map.entrySet());
    } else if (result instanceof Collection<?> all) {
      return new ArrayList<>(all).toString();
    } else if (result instanceof Object[] array) {
      return Arrays.toString(array);
    } else if (result instanceof Iterator<?> iterator) {
      List<Object> all = new ArrayList<>();
      iterator.forEachRemaining(all::add);
      return all.toString();
    }
    return String.valueOf(result);
  }

  /** A map, and what it is a part of, up to four times. */
  private List<Named> drawnParts() {
    List<Named> parts = new ArrayList<>();
    while (parts.size() < 4 && random.nextInt(3) > 0) {
      parts.add(part());
    }
    return parts;
  }

  private Named part() {
    int a = bound();
    int b = random.nextInt(4) == 0 ? bound() : a + random.nextInt(KEYS);
    boolean from = random.nextBoolean();
    boolean to = random.nextBoolean();
    return switch (random.nextInt(7)) {
      case 0 -> named("descendingMap", NavigableMap::descendingMap);
      case 1 -> named("headMap " + a + to, map -> map.headMap(a, to));
      case 2 -> named("tailMap " + a + from, map -> map.tailMap(a, from));
      case 3 -> named("subMap " + a + ", " + b, map -> map.subMap(a, b));
      case 4 -> named("headMap " + a, map -> map.headMap(a));
      case 5 -> named("tailMap " + a, map -> map.tailMap(a));
      default -> named("subMap " + a + from + ", " + b + to, map -> map.subMap(a, from, b, to));
    };
  }

  private int bound() {
    return random.nextInt(KEYS + 4) - 2;
  }

  /** Now and then none. */
  private @Nullable Integer key() {
    boolean isNull = random.nextInt(40) == 0;
    hasNull |= isNull;
    return isNull ? null : bound();
  }

  private @Nullable String value() {
    boolean isNull = random.nextInt(40) == 0;
    hasNull |= isNull;
    return isNull ? null : "v" + random.nextInt(4);
  }

  private static Named named(String name, Call call) {
    return new Named(name, call);
  }

  private <A, B> @Nullable BiFunction<A, B, @Nullable String> function() {
    int drawn = random.nextInt(10);
    hasNull |= drawn == 0;
    return drawn == 0
        ? null
        : (a, b) -> {
          calls.add(a + " " + b);
          if (drawn == 1) {
            throw new ArithmeticException();
          }
          return drawn < 5 ? null : a + "+" + drawn;
        };
  }

  private Named ofAMap() {
    Integer key = key();
    String value = value();
    String other = value();
    BiFunction<Object, Object, @Nullable String> function = function();
    return switch (random.nextInt(36)) {
      case 0 -> named("get " + key, map -> map.get(key));
      case 1 -> named("containsKey " + key, map -> map.containsKey(key));
      case 2 -> named("containsValue " + value, map -> map.containsValue(value));
      case 3 -> named("getOrDefault " + key, map -> map.getOrDefault(key, value));
      case 4 -> named("put " + key + value, map -> map.put(key, value));
      case 5 -> named("putIfAbsent " + key + value, map -> map.putIfAbsent(key, value));
      case 6 -> named("remove " + key, map -> map.remove(key));
      case 7 -> named("remove " + key + value, map -> map.remove(key, value));
      case 8 -> named("replace " + key + value, map -> map.replace(key, value));
      case 9 -> named("replace " + key + value + other, map -> map.replace(key, value, other));
      case 10, 11 -> named("compute " + key, map -> map.compute(key, function));
      case 12, 13 -> named("computeIfPresent " + key, map -> map.computeIfPresent(key, function));
      case 14, 15 ->
          named(
              "computeIfAbsent " + key,
              map ->
                  map.computeIfAbsent(
                      key, function == null ? null : found -> function.apply(found, "")));
      case 16, 17 -> named("merge " + key + value, map -> map.merge(key, value, function));
      case 18 -> named("lowerKey " + key, map -> map.lowerKey(key));
      case 19 -> named("floorEntry " + key, map -> map.floorEntry(key));
      case 20 -> named("ceilingKey " + key, map -> map.ceilingKey(key));
      case 21 -> named("higherEntry " + key, map -> map.higherEntry(key));
      case 22 -> named("lowerEntry " + key, map -> map.lowerEntry(key));
      case 23 -> named("floorKey " + key, map -> map.floorKey(key));
      case 24 -> named("ceilingEntry " + key, map -> map.ceilingEntry(key));
      case 25 -> named("higherKey " + key, map -> map.higherKey(key));
      case 26 -> named("firstEntry", NavigableMap::firstEntry);
      case 27 -> named("lastEntry", NavigableMap::lastEntry);
      case 28 -> named("first and last key", map -> map.firstKey() + ", " + map.lastKey());
      case 29 -> named("pollFirstEntry", NavigableMap::pollFirstEntry);
      case 30 -> named("pollLastEntry", NavigableMap::pollLastEntry);
      case 31 -> named("size", map -> map.size() + ", " + map.isEmpty() + ", " + map.hashCode());
      case 32 -> named("clear", map -> done(map::clear));
      case 33 -> {
        Map<Integer, String> all = new LinkedHashMap<>();
        all.put(key, "a");
        all.put(bound(), "b");
        yield named("putAll " + all, map -> done(() -> map.putAll(all)));
      }
      case 34 -> {
        hasNull = true; // the function's
        yield named("replaceAll", map -> done(() -> map.replaceAll(function)));
      }
      default ->
          named(
              "comparator",
              map -> {
                Comparator<? super Integer> order = map.comparator();
                return order == null ? "natural" : order.compare(1, 2);
              });
    };
  }

  private static String done(Runnable action) {
    action.run();
    return "done";
  }

  private Named ofAView() {
    Integer key = key();
    String value = value();
    List<Integer> steps = random.ints(8, 0, 4).boxed().toList();
    Map.Entry<Integer, String> entry = new AbstractMap.SimpleImmutableEntry<>(key, value);
    List<Integer> keys = List.of(bound(), bound(), bound());
    return switch (random.nextInt(22)) {
      case 0 -> ofKeys("contains " + key, set -> set.contains(key));
      case 1 -> ofKeys("remove " + key, set -> set.remove(key));
      case 2 -> ofKeys("first and last", set -> set.first() + ", " + set.last());
      case 3 -> ofKeys("lower, floor " + key, set -> set.lower(key) + ", " + set.floor(key));
      case 4 -> ofKeys("ceiling, higher", set -> set.ceiling(key) + ", " + set.higher(key));
      case 5 -> ofKeys("poll", set -> set.pollFirst() + ", " + set.pollLast());
      case 6 -> ofKeys("retainAll " + keys, set -> set.retainAll(keys));
      case 7 -> ofKeys("removeAll " + keys, set -> set.removeAll(keys));
      case 8 -> ofKeys("removeIf", set -> set.removeIf(each -> each % 2 == 0));
      case 9 -> ofKeys("steps " + steps, set -> steps(set.iterator(), steps));
      case 10 -> ofKeys("steps back " + steps, set -> steps(set.descendingIterator(), steps));
      case 11 -> ofKeys("stream", set -> set.stream().map(each -> each + 1).toArray());
      case 12 -> ofKeys("add", set -> set.add(key));
      case 13 -> ofKeys("toString", set -> set + ", " + set.hashCode() + ", " + set.size());
      case 14 -> named("entry " + entry, map -> map.entrySet().contains(entry));
      case 15 -> named("remove entry " + entry, map -> map.entrySet().remove(entry));
      case 16 -> named("steps " + steps, map -> steps(map.entrySet().iterator(), steps));
      case 17 ->
          named(
              "setValue",
              map ->
                  done(() -> map.entrySet().forEach(each -> each.setValue(each.getKey() + "!"))));
      case 18 -> named("value " + value, map -> map.values().contains(value));
      case 19 -> named("remove value " + value, map -> map.values().remove(value));
      case 20 -> named("values", NavigableMap::values);
      default -> named("steps " + steps, map -> steps(map.values().iterator(), steps));
    };
  }

  private interface KeyCall {
    @Nullable Object of(NavigableSet<Integer> keys);
  }

  /** A call of the keys of a map, of a part of them, or of them in descending order. */
  private Named ofKeys(String name, KeyCall call) {
    int a = bound();
    int b = a + random.nextInt(KEYS);
    boolean from = random.nextBoolean();
    boolean to = random.nextBoolean();
    return switch (random.nextInt(6)) {
      case 0 -> named("descending keys " + name, map -> call.of(map.descendingKeySet()));
      case 1 -> {
        String part = "keys before " + a + to + " ";
        yield named(part + name, map -> call.of(map.navigableKeySet().headSet(a, to)));
      }
      case 2 -> {
        String part = "keys after " + a + from + " ";
        yield named(part + name, map -> call.of(map.navigableKeySet().tailSet(a, from)));
      }
      case 3 -> {
        String part = "keys " + a + from + ", " + b + to + " ";
        yield named(part + name, map -> call.of(map.navigableKeySet().subSet(a, from, b, to)));
      }
      case 4 -> named("keys back " + name, map -> call.of(map.navigableKeySet().descendingSet()));
      default -> named("keys " + name, map -> call.of(map.navigableKeySet()));
    };
  }

  /** Goes some steps with an iterator, and removes in between. */
  private static List<String> steps(Iterator<?> iterator, List<Integer> steps) {
    List<String> seen = new ArrayList<>();
    for (int step : steps) {
      try {
        if (step == 0) {
          iterator.remove();
          seen.add("removed");
        } else if (step == 1) {
          seen.add(String.valueOf(iterator.hasNext()));
        } else {
          seen.add(String.valueOf(iterator.next()));
        }
      } catch (RuntimeException e) {
        seen.add(e.getClass().getSimpleName());
      }
    }
    return seen;
  }
}
