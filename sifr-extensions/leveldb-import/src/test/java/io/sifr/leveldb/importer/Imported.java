package io.sifr.leveldb.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an import has made.
 *
 * @param exitCode of the program
 * @param output what it has printed
 * @param error what it has said
 * @param target where the store is, if there is one
 */
record Imported(int exitCode, String output, String error, Path target) {
  static Imported of(Path source, Path target, String... options) {
    String[] places = {source.toString(), target.toString()};
    String[] args =
        Stream.concat(Arrays.stream(options), Arrays.stream(places)).toArray(String[]::new);
    Imported ran = run(args);
    return new Imported(ran.exitCode, ran.output, ran.error, target);
  }

  /** Runs the program with any arguments. */
  static Imported run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console = new Console(InputStream.nullInputStream(), out, err, TerminalTraits.NONE);
    int exitCode = new LevelDbImportCommand(console, new Cleanup()).execute(args);
    return new Imported(exitCode, out.toString(UTF_8), err.toString(UTF_8), Path.of(""));
  }

  long count() {
    try (Store store = Store.builder(target).openReadOnly();
        Cursor cursor = store.database().cursor()) {
      long count = 0;
      while (cursor.next()) {
        count++;
      }
      return count;
    }
  }

  Map<String, String> entries(HexFormat format) {
    Map<String, String> entries = new TreeMap<>();
    try (Store store = Store.builder(target).openReadOnly();
        Cursor cursor = store.database().cursor()) {
      while (cursor.next()) {
        entries.put(format.formatHex(cursor.key()), format.formatHex(cursor.value()));
      }
    }
    return entries;
  }

  boolean isSameAs(Imported other) {
    try (Store store = Store.builder(target).openReadOnly();
        Store others = Store.builder(other.target).openReadOnly();
        Cursor cursor = store.database().cursor();
        Cursor othersCursor = others.database().cursor()) {
      while (cursor.next()) {
        if (!othersCursor.next()
            || !Arrays.equals(cursor.key(), othersCursor.key())
            || !Arrays.equals(cursor.value(), othersCursor.value())) {
          return false;
        }
      }
      return !othersCursor.next();
    }
  }

  void delete() {
    Store.destroy(target);
  }
}
