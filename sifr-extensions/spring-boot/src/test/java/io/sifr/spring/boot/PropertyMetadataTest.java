package io.sifr.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What editors show of the properties is what there is. */
class PropertyMetadataTest {
  private static final Path WRITTEN =
      Path.of("src", "main", "resources", "META-INF", "spring-configuration-metadata.json");
  private static final Path EXPECTED = Path.of("target", "spring-configuration-metadata.json");

  private final ObjectMapper mapper = new ObjectMapper();
  private final ObjectNode metadata = mapper.createObjectNode();
  private final ArrayNode groups = metadata.putArray("groups");
  private final ArrayNode properties = metadata.putArray("properties");
  private final ArrayNode hints = metadata.putArray("hints");

  private ObjectNode property(String name, Class<?> type, String description) {
    return properties
        .addObject()
        .put("name", name)
        .put("type", type.getName())
        .put("description", description);
  }

  private JsonNode expected() {
    groups.addObject().put("name", "sifr").put("type", SifrProperties.class.getName());
    property("sifr.directory", String.class, "Directory of the store.");
    property(
            "sifr.in-memory",
            Boolean.class,
            "Whether the store has its files on the heap and none in the directory, for tests.")
        .put("defaultValue", false);
    property(
            "management.health.sifr.enabled",
            Boolean.class,
            "Whether the health of the store is asked for.")
        .put("defaultValue", true);
    for (Setting<?> setting : StoreOptions.settings()) {
      String name = SettingProperties.property(setting);
      ObjectNode property =
          property(name, String.class, setting.meaning() + " Allowed: " + setting.allowed() + ".");
      if (!setting.defaultValue().isEmpty()) {
        property.put("defaultValue", setting.defaultValue());
      }
      if (!setting.choices().isEmpty()) {
        ObjectNode hint = hints.addObject().put("name", name);
        ArrayNode values = hint.putArray("values");
        setting.choices().forEach(choice -> values.addObject().put("value", choice));
      }
    }
    return metadata;
  }

  @Test
  void allPropertiesAreDescribed() throws Exception {
    JsonNode expected = expected();
    mapper.writerWithDefaultPrettyPrinter().writeValue(EXPECTED.toFile(), expected);
    assertThat(Files.exists(WRITTEN) ? mapper.readTree(WRITTEN.toFile()) : null)
        .as("%s; copy %s", WRITTEN, EXPECTED)
        .isEqualTo(expected);
  }
}
