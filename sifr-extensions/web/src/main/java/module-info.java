/** A page that shows what is in a store of Sifr and what it does. */
module io.sifr.web {
  requires com.fasterxml.jackson.core;
  requires transitive io.sifr;
  requires transitive jdk.httpserver;
  requires org.slf4j;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports io.sifr.web;
}
