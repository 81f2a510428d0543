/** The command line tool of Sifr. */
module io.sifr.cli {
  requires com.fasterxml.jackson.core;
  requires de.siegmar.fastcsv;
  requires HdrHistogram;
  requires info.picocli;
  requires io.sifr;
  requires io.sifr.web;
  requires static org.jspecify;

  // Reads the annotations of the commands, and sets their fields.
  opens io.sifr.cli to
      info.picocli;
  // Makes the converters of their options.
  opens io.sifr.cli.terminal to
      info.picocli;
}
