package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.event.ForestShape;
import java.io.IOException;
import java.util.List;

/**
 * The parts of a drawing of a forest: the trees of each stage, and blocks of SSTs. A block is one
 * SST, or in a large tree several neighbours, so that an answer is never large.
 */
final class ForestPicture {
  private static final int MOST_TREES = 500;
  private static final int MOST_BLOCKS = 2000;
  private static final int MOST_KEY_BYTES = 64;

  private ForestPicture() {}

  static byte[] of(ForestShape forest) {
    int trees = Math.max(1, forest.trees());
    int perBlock = Math.max(1, (forest.ssts() + MOST_BLOCKS - 1) / MOST_BLOCKS);
    return Json.object(
        json -> {
          json.writeStringField("database", forest.database());
          json.writeNumberField("trees", forest.trees());
          json.writeNumberField("ssts", forest.ssts());
          json.writeNumberField("bytes", forest.bytes());
          json.writeNumberField("valueFiles", forest.valueFiles().size());
          json.writeNumberField("valueBytes", forest.valueBytes());
          json.writeNumberField("referredValueBytes", forest.referredValueBytes());
          json.writeArrayFieldStart("stages");
          for (ForestShape.Stage stage : forest.stages()) {
            int most = Math.max(1, (int) ((long) MOST_TREES * stage.trees().size() / trees));
            stage(json, stage, most, perBlock);
          }
          json.writeEndArray();
        });
  }

  private static void stage(
      JsonGenerator json, ForestShape.Stage stage, int mostTrees, int perBlock) throws IOException {
    json.writeStartObject();
    json.writeNumberField("stage", stage.number());
    json.writeNumberField("trees", stage.trees().size());
    json.writeNumberField("ssts", stage.trees().stream().mapToInt(t -> t.ssts().size()).sum());
    json.writeNumberField("bytes", stage.trees().stream().mapToLong(ForestShape.Tree::bytes).sum());
    json.writeArrayFieldStart("shown");
    for (ForestShape.Tree tree :
        stage.trees().subList(0, Math.min(mostTrees, stage.trees().size()))) {
      json.writeStartObject();
      json.writeNumberField("id", tree.id());
      json.writeNumberField("ssts", tree.ssts().size());
      json.writeNumberField("bytes", tree.bytes());
      json.writeNumberField("entries", tree.entries());
      json.writeArrayFieldStart("blocks");
      List<ForestShape.Sst> ssts = tree.ssts();
      for (int from = 0; from < ssts.size(); from += perBlock) {
        block(json, ssts.subList(from, Math.min(from + perBlock, ssts.size())));
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void block(JsonGenerator json, List<ForestShape.Sst> ssts) throws IOException {
    ForestShape.Sst first = ssts.get(0);
    ForestShape.Sst last = ssts.get(ssts.size() - 1);
    json.writeStartObject();
    json.writeNumberField("number", first.number());
    json.writeNumberField("ssts", ssts.size());
    json.writeNumberField("bytes", ssts.stream().mapToLong(ForestShape.Sst::bytes).sum());
    json.writeNumberField("entries", ssts.stream().mapToLong(ForestShape.Sst::entries).sum());
    json.writeNumberField("tombstones", ssts.stream().mapToLong(ForestShape.Sst::tombstones).sum());
    json.writeStringField("first", Json.hex(first.smallestKey(), MOST_KEY_BYTES));
    json.writeStringField("last", Json.hex(last.largestKey(), MOST_KEY_BYTES));
    json.writeStringField("place", first.place().name());
    json.writeEndObject();
  }
}
