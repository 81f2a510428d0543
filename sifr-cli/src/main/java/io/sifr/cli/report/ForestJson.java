package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.io.IOException;
import java.util.Map;

/** A forest as JSON, down to its SSTs and value files. */
public final class ForestJson {
  private ForestJson() {}

  /** Writes the forest as fields of the open JSON object. */
  public static void writeFields(JsonGenerator json, ForestShape forest, boolean hex)
      throws IOException {
    json.writeStringField("database", forest.database());
    json.writeArrayFieldStart("stages");
    for (ForestShape.Stage stage : forest.stages()) {
      json.writeStartObject();
      json.writeNumberField("stage", stage.number());
      json.writeArrayFieldStart("trees");
      for (ForestShape.Tree tree : stage.trees()) {
        tree(json, tree, hex);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    places(json, Places.of(forest));
    json.writeArrayFieldStart("valueFiles");
    for (ForestShape.ValueFile file : forest.valueFiles()) {
      json.writeStartObject();
      json.writeNumberField("number", file.number());
      json.writeNumberField("bytes", file.bytes());
      json.writeNumberField("referredBytes", file.referredBytes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Only of stores that have other directories than their own. */
  private static void places(JsonGenerator json, Places places) throws IOException {
    if (places.areUsual()) {
      return;
    }
    json.writeArrayFieldStart("places");
    for (Map.Entry<SstPlace, Places.Share> each : places.shares().entrySet()) {
      json.writeStartObject();
      json.writeStringField("place", Places.name(each.getKey()));
      json.writeNumberField("ssts", each.getValue().ssts());
      json.writeNumberField("bytes", each.getValue().bytes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void tree(JsonGenerator json, ForestShape.Tree tree, boolean hex)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", tree.id());
    json.writeNumberField("bytes", tree.bytes());
    json.writeNumberField("entries", tree.entries());
    json.writeArrayFieldStart("ssts");
    for (ForestShape.Sst sst : tree.ssts()) {
      json.writeStartObject();
      json.writeNumberField("number", sst.number());
      json.writeNumberField("bytes", sst.bytes());
      json.writeNumberField("entries", sst.entries());
      json.writeNumberField("tombstones", sst.tombstones());
      Json.writeBytes(json, "smallestKey", sst.smallestKey(), hex);
      Json.writeBytes(json, "largestKey", sst.largestKey(), hex);
      if (sst.place() != SstPlace.STORE) {
        json.writeStringField("place", Places.name(sst.place()));
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
