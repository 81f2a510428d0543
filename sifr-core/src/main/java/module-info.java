/** An embedded, ordered key-value store built on a split forest of sorted runs. */
module io.sifr {
  requires com.google.common;
  requires HdrHistogram;
  requires io.netty.buffer;
  requires io.netty.common;
  requires org.slf4j;
  requires static com.google.errorprone.annotations;
  requires static jdk.unsupported;
  requires static transitive org.jspecify;

  exports io.sifr.error;
}
