package io.sifr.infinispan;

import org.infinispan.commons.configuration.io.ConfigurationWriter;
import org.infinispan.commons.util.Version;
import org.infinispan.configuration.serializing.AbstractStoreSerializer;
import org.infinispan.configuration.serializing.ConfigurationSerializer;

/** Writes a configuration as {@link SifrStoreConfigurationParser} reads it. */
public final class SifrStoreConfigurationSerializer extends AbstractStoreSerializer
    implements ConfigurationSerializer<SifrStoreConfiguration> {

  /** A serializer; Infinispan calls this. */
  public SifrStoreConfigurationSerializer() {}

  @Override
  public void serialize(ConfigurationWriter writer, SifrStoreConfiguration configuration) {
    writer.writeStartElement(SifrStoreConfigurationParser.ELEMENT);
    writer.writeDefaultNamespace(SifrStoreConfigurationParser.NAMESPACE + Version.getMajorMinor());
    configuration.attributes().write(writer);
    writeCommonStoreSubAttributes(writer, configuration);
    writeCommonStoreElements(writer, configuration);
    writer.writeEndElement();
  }
}
