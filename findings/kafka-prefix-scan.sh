#!/bin/bash
# Kafka Streams: prefixScan returns a key that does not begin with the prefix, when the prefix ends in the byte FF.
#
# Guess: exactly the keys that begin with the prefix.
# So it is: the end of the range is the prefix plus one, as a number of as many bytes: 00 FF gives 01 00. The key 01 sorts
# before that and is returned, too, by RocksDB's stores and by those in memory. The right end is 01.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.apache.kafka:kafka-streams-test-utils:4.4.0 org.slf4j:slf4j-nop:1.7.36
cat >Scan.java <<'END'
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.api.*;
import org.apache.kafka.streams.state.*;

/** The keys that a scan by prefix finds, in both of Kafka's own kinds of stores. */
public class Scan {
  static final class Nothing implements Processor<byte[], byte[], Void, Void> {
    @Override
    public void process(org.apache.kafka.streams.processor.api.Record<byte[], byte[]> record) {}
  }

  public static void main(String[] args) throws Exception {
    StreamsBuilder builder = new StreamsBuilder();
    KeyValueBytesStoreSupplier supplier =
        args[0].equals("memory") ? Stores.inMemoryKeyValueStore("keys") : Stores.persistentKeyValueStore("keys");
    builder.addStateStore(Stores.keyValueStoreBuilder(supplier, Serdes.ByteArray(), Serdes.String()));
    builder.stream("in", Consumed.with(Serdes.ByteArray(), Serdes.ByteArray())).process(Nothing::new, "keys");
    Properties properties = new Properties();
    properties.put("application.id", "finding");
    properties.put("bootstrap.servers", "none:1");
    properties.put("state.dir", Files.createTempDirectory(Path.of("."), "state").toString());
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties)) {
      KeyValueStore<byte[], String> store = driver.getKeyValueStore("keys");
      for (String key : List.of("00", "00fe", "00ff", "00ff00", "00ffff", "01", "0100", "02")) {
        store.put(HexFormat.of().parseHex(key), key);
      }
      StringJoiner found = new StringJoiner(" ");
      byte[] prefix = HexFormat.of().parseHex(args[1]);
      try (KeyValueIterator<byte[], String> each = store.prefixScan(prefix, new ByteArraySerializer())) {
        each.forEachRemaining(entry -> found.add(entry.value));
      }
      System.out.println(found);
    }
  }
}
END
for store in RocksDB memory; do
  same "$store, prefix 00fe" "00fe" "$(run_java Scan.java $store 00fe)"
  same "$store, prefix 00ff" "00ff 00ff00 00ffff 01" "$(run_java Scan.java $store 00ff)"
done
