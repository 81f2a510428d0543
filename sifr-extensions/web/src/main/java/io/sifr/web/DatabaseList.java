package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.RangeEstimate;
import io.sifr.Store;
import io.sifr.event.ForestShape;
import java.io.IOException;
import java.util.List;

/** The databases of a store, by name. Nothing is counted: entries are estimates. */
final class DatabaseList {
  private static final int MOST = 200;

  private DatabaseList() {}

  static byte[] of(Store store, Parameters given) {
    int limit = given.number("limit", MOST, 1, MOST);
    String after = given.text("after", "");
    List<String> all = store.databaseNames();
    List<String> names = all.stream().filter(name -> name.compareTo(after) > 0).toList();
    return Json.object(
        json -> {
          json.writeNumberField("count", all.size());
          json.writeBooleanField("more", names.size() > limit);
          json.writeArrayFieldStart("databases");
          for (String name : names.subList(0, Math.min(limit, names.size()))) {
            write(json, store, name);
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Store store, String name) throws IOException {
    RangeEstimate estimate;
    ForestShape forest;
    try {
      Database database = store.database(name);
      estimate = database.estimate(KeyRange.all());
      forest = database.forest();
    } catch (IllegalArgumentException | IllegalStateException e) {
      Answers.checkOpen(store);
      return; // dropped meanwhile
    }
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeNumberField("entries", estimate.entries());
    json.writeNumberField("bytes", estimate.bytes());
    json.writeNumberField("fileBytes", forest.bytes() + forest.valueBytes());
    json.writeNumberField("trees", forest.trees());
    json.writeNumberField("ssts", forest.ssts());
    json.writeEndObject();
  }
}
