#!/bin/bash
# Infinispan: size() of a cache with a soft-index file store counts entries that have expired, and its iteration does not.
#
# Guess: size() counts what an iteration over the cache shows, as it does for a cache in memory.
# So it is: of 100 entries 40 have expired. A cache in memory says 60. With a soft-index store behind it size() and
# keySet().size() say 100, while a stream of the same key set has 60, and 60 keys are found. (The expiration thread is turned
# off, so that the numbers do not depend on when it comes by.)
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
    configuration.expiration().wakeUpInterval(-1);
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
      System.out.println("size() " + cache.size() + ", keySet().size() " + cache.keySet().size()
          + ", in a stream " + cache.keySet().stream().count());
    }
  }
}
END
same "in memory" "size() 60, keySet().size() 60, in a stream 60" "$(run_java Size.java memory 2>/dev/null)"
same "soft-index" "size() 100, keySet().size() 100, in a stream 60" "$(run_java Size.java soft-index 2>/dev/null)"
