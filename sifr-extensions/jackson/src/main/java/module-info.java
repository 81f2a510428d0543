/** Values of maps over stores of Sifr, written and read by Jackson. */
module io.sifr.jackson {
  requires transitive com.fasterxml.jackson.core;
  requires transitive com.fasterxml.jackson.databind;
  requires transitive io.sifr;
  requires static org.jspecify;

  exports io.sifr.jackson;
}
