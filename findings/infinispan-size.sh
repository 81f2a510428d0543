#!/bin/bash
# Infinispan: size() of a cache with a soft-index file store counts entries that have expired, until the expiration thread
# has removed them; its iteration does not.
#
# Guess: size() counts what an iteration over the cache shows, as it does for a cache in memory.
# So it is: of 100 entries 40 have expired, and the expiration thread has not come by (here it is turned off). A cache in
# memory says 60. With a soft-index store behind it size() and keySet().size() say 100, while a stream of the same key set has
# 60, an iteration 60, and 60 keys are found. Where the thread has come by, all say 60.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.infinispan:infinispan-core:16.0.14 org.infinispan:infinispan-component-annotations:16.0.14
cat >Size.java <<'END'
import java.nio.file.*;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.*;
import org.infinispan.manager.DefaultCacheManager;

/** The size of a cache in which entries have expired. */
public class Size {
  public static void main(String[] args) throws Exception {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    boolean thread = args[1].equals("thread");
    configuration.expiration().wakeUpInterval(thread ? 100 : -1);
    if (args[0].equals("soft-index")) {
      Path directory = Files.createTempDirectory(Path.of("."), "data").toAbsolutePath();
      configuration.memory().maxCount(10);
      configuration.persistence().addSoftIndexFileStore()
          .dataLocation(directory + "/data").indexLocation(directory + "/index");
    }
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, String> cache = manager.createCache("cache", configuration.build());
      for (int i = 0; i < 100; i++) {
        cache.put("key" + i, "value", i < 40 ? 1 : -1, TimeUnit.MILLISECONDS);
      }
      Thread.sleep(500); // the lifespan of 1 ms is over
      for (int i = 0; thread && i < 100 && cache.size() != 60; i++) {
        Thread.sleep(100);
      }
      String sizes = "size() " + cache.size() + ", keySet().size() " + cache.keySet().size();
      int iterated = 0;
      for (String key : cache.keySet()) {
        iterated++;
      }
      sizes += ", in a stream " + cache.keySet().stream().count() + ", iterated " + iterated;
      int found = 0;
      for (int i = 0; i < 100; i++) {
        if (cache.get("key" + i) != null) {
          found++;
        }
      }
      System.out.println(sizes + ", found " + found);
    }
  }
}
END
all="size() 60, keySet().size() 60, in a stream 60, iterated 60, found 60"
seen="size() 100, keySet().size() 100, in a stream 60, iterated 60, found 60"
same "in memory" "$all" "$(run_java Size.java memory none 2>/dev/null)"
same "soft-index" "$seen" "$(run_java Size.java soft-index none 2>/dev/null)"
same "soft-index, after the expiration thread" "$all" "$(run_java Size.java soft-index thread 2>/dev/null)"
