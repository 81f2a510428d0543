package io.sifr.infinispan;

import org.infinispan.commons.configuration.io.ConfigurationReader;
import org.infinispan.configuration.parsing.CacheParser;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ConfigurationParser;
import org.infinispan.configuration.parsing.Namespace;
import org.infinispan.configuration.parsing.ParseUtils;
import org.infinispan.configuration.parsing.Parser;

/**
 * Reads the element {@code sifr-store} of a configuration in XML, JSON or YAML. Infinispan finds it
 * as a service.
 */
@Namespace(root = SifrStoreConfigurationParser.ELEMENT)
@Namespace(
    uri = SifrStoreConfigurationParser.NAMESPACE + "*",
    root = SifrStoreConfigurationParser.ELEMENT,
    since = "16.0")
public final class SifrStoreConfigurationParser implements ConfigurationParser {
  static final String ELEMENT = "sifr-store";
  static final String NAMESPACE = Parser.NAMESPACE + "store:sifr:";

  /** A parser; the service loader calls this. */
  public SifrStoreConfigurationParser() {}

  @Override
  public void readElement(ConfigurationReader reader, ConfigurationBuilderHolder holder) {
    if (!ELEMENT.equals(reader.getLocalName())) {
      throw ParseUtils.unexpectedElement(reader);
    }
    SifrStoreConfigurationBuilder builder =
        holder
            .getCurrentConfigurationBuilder()
            .persistence()
            .addStore(SifrStoreConfigurationBuilder.class);
    String path = null;
    String relativeTo = null;
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      ParseUtils.requireNoNamespaceAttribute(reader, i);
      switch (reader.getAttributeName(i)) {
        case "path" -> path = reader.getAttributeValue(i);
        case "relative-to" -> relativeTo = ParseUtils.requireAttributeProperty(reader, i);
        default -> CacheParser.parseStoreAttribute(reader, i, builder);
      }
    }
    String location = ParseUtils.resolvePath(path, relativeTo);
    if (location != null) {
      builder.location(location);
    }
    while (reader.inTag()) {
      CacheParser.parseStoreElement(reader, builder);
    }
  }

  @Override
  public Namespace[] getNamespaces() {
    return ParseUtils.getNamespaceAnnotations(getClass());
  }
}
