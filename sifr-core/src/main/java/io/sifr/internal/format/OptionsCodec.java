package io.sifr.internal.format;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IndexOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.codec.FormatCodec;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Encodes the options of a database: the number of those that are set, then for each its tag, the
 * length of its value and the value, by ascending tags.
 */
public final class OptionsCodec {
  private static final int MERGE_OPERATOR = 1;
  private static final int EXPIRE_AFTER = 2;
  private static final int COMPRESSION = 3;
  private static final int SEPARATE_VALUES_FROM = 4;
  private static final int COMPACTION_FILTER = 5;
  private static final int FILTER_PREFIX = 6;
  private static final int INDEXES = 7;

  /** Lengths of two empty names, and the kind. */
  private static final int MIN_INDEX_BYTES = 3;

  private static final int PLAIN = 0;
  private static final int UNIQUE = 1;

  /** What a database has without that option. */
  private static final int SEPARATE_VALUES_FROM_ELSE = 16 << 10;

  /** Tag and length of an empty value. */
  private static final int MIN_OPTION_BYTES = 2;

  private OptionsCodec() {}

  public static void encode(DatabaseOptions options, EditWriter out) {
    SortedMap<Integer, EditWriter> values = new TreeMap<>();
    String operator = options.mergeOperator();
    if (operator != null) {
      begin(values, MERGE_OPERATOR).text(operator);
    }
    Duration expiry = options.expireAfter();
    if (expiry != null) {
      begin(values, EXPIRE_AFTER).unsigned(expiry.toMillis());
    }
    Compression compression = options.compression();
    if (compression != null) {
      begin(values, COMPRESSION).unsigned(Codecs.of(compression).id());
    }
    if (options.separateValuesFrom() != SEPARATE_VALUES_FROM_ELSE) {
      begin(values, SEPARATE_VALUES_FROM).unsigned(options.separateValuesFrom());
    }
    String filter = options.compactionFilter();
    if (filter != null) {
      begin(values, COMPACTION_FILTER).text(filter);
    }
    KeyPrefix prefix = options.filterPrefix();
    if (prefix != null) {
      begin(values, FILTER_PREFIX).unsigned(PrefixCodec.encode(prefix));
    }
    if (!options.indexes().isEmpty()) {
      encode(options.indexes(), begin(values, INDEXES));
    }
    out.unsigned(values.size());
    values.forEach(
        (tag, value) -> {
          out.tag(tag);
          out.nested(value);
        });
  }

  private static void encode(List<IndexOptions> indexes, EditWriter out) {
    out.unsigned(indexes.size());
    for (IndexOptions index : indexes) {
      out.text(index.name());
      out.text(index.extractor());
      out.unsigned(index.isUnique() ? UNIQUE : PLAIN);
    }
  }

  private static void decodeIndexes(EditReader in, DatabaseOptions.Builder options) {
    String before = "";
    for (int left = in.count(MIN_INDEX_BYTES); left > 0; left--) {
      String name = in.text();
      if (name.compareTo(before) <= 0) {
        throw new IllegalArgumentException("index \"" + name + "\" follows \"" + before + "\"");
      }
      before = name;
      String extractor = in.text();
      long kind = in.unsigned();
      if (kind == UNIQUE) {
        options.uniqueIndex(name, extractor);
      } else if (kind == PLAIN) {
        options.index(name, extractor);
      } else {
        throw in.unsupported("kind " + kind + " of an index", PLAIN + " and " + UNIQUE);
      }
    }
  }

  private static EditWriter begin(SortedMap<Integer, EditWriter> values, int tag) {
    EditWriter value = new EditWriter();
    values.put(tag, value);
    return value;
  }

  /**
   * Decodes options.
   *
   * @throws IllegalArgumentException when they are none
   * @throws UnsupportedFormatException when there is one that this version does not know
   */
  public static DatabaseOptions decode(EditReader in) {
    DatabaseOptions.Builder options =
        DatabaseOptions.builder().separateValuesFrom(SEPARATE_VALUES_FROM_ELSE);
    int before = 0;
    for (int left = in.count(MIN_OPTION_BYTES); left > 0; left--) {
      int tag = in.tag();
      if (tag <= before) {
        throw new IllegalArgumentException("option " + tag + " follows option " + before);
      }
      before = tag;
      EditReader value = in.nested();
      switch (tag) {
        case MERGE_OPERATOR -> options.mergeOperator(value.text());
        case EXPIRE_AFTER -> options.expireAfter(Duration.ofMillis(value.unsigned()));
        case COMPRESSION -> options.compression(compression(value));
        case SEPARATE_VALUES_FROM -> options.separateValuesFrom(value.unsignedInt());
        case COMPACTION_FILTER -> options.compactionFilter(value.text());
        case FILTER_PREFIX -> options.filterPrefix(PrefixCodec.decode(value.unsigned()));
        case INDEXES -> decodeIndexes(value, options);
        default -> throw in.unsupported("option " + tag + " of a database", "1 to " + INDEXES);
      }
      value.checkAtEnd();
    }
    return options.build();
  }

  private static Compression compression(EditReader in) {
    long number = in.unsigned();
    FormatCodec codec = Codecs.withId(number);
    if (codec == null) {
      throw in.unsupported(
          "compression " + number + " of a database",
          Codecs.ALL.stream()
              .map(known -> String.valueOf(known.id()))
              .collect(Collectors.joining(", ")));
    }
    return codec.setting();
  }
}
