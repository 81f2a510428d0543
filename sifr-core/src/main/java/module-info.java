/** An embedded, ordered key-value store built on a split forest of sorted runs. */
module io.sifr {
  requires com.github.benmanes.caffeine;
  requires com.google.common;
  requires transitive io.netty.buffer;
  requires io.netty.common;
  requires org.slf4j;
  requires static transitive com.google.errorprone.annotations;
  requires transitive java.management;
  requires jdk.jfr;
  requires jdk.management;
  requires jdk.unsupported;
  requires static transitive org.jspecify;

  exports io.sifr;
  exports io.sifr.config;
  exports io.sifr.error;
  exports io.sifr.event;
  exports io.sifr.inspect;
  exports io.sifr.inspect.check;
  exports io.sifr.inspect.dump;
  exports io.sifr.inspect.salvage;
  exports io.sifr.jmx;
  exports io.sifr.map;
  exports io.sifr.spi;

  uses io.sifr.spi.ReadAnnouncer;
}
