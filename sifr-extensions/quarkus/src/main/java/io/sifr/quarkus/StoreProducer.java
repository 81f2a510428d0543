package io.sifr.quarkus;

import io.quarkus.arc.DefaultBean;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.eclipse.microprofile.config.Config;

/**
 * Opens the store when a bean first needs it, unless the program has a bean of type {@link Store}
 * itself. It is closed after all beans with {@code @ApplicationScoped} are destroyed.
 */
@Singleton
public class StoreProducer {
  private static final String DIRECTORY = "sifr.directory";
  private static final String IN_MEMORY = "sifr.in-memory";

  /** Made by Quarkus. */
  StoreProducer() {}

  /** Not {@code @ApplicationScoped}: that needs a proxy, which a final class cannot have. */
  @Produces
  @Singleton
  @DefaultBean
  Store open(Config config) {
    StoreOptions options = SettingProperties.read(config);
    boolean isInMemory = config.getOptionalValue(IN_MEMORY, Boolean.class).orElse(false);
    Store.Builder builder = isInMemory ? Store.inMemory() : Store.builder(directory(config));
    return builder.options(options).open();
  }

  void close(@Disposes Store store) {
    store.close();
  }

  private static Path directory(Config config) {
    String directory =
        config
            .getOptionalValue(DIRECTORY, String.class)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        DIRECTORY
                            + " is not set: it names the directory of the store; for one in memory,"
                            + " as in tests, set "
                            + IN_MEMORY
                            + "=true"));
    try {
      return Path.of(directory);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(DIRECTORY + " is no path: " + e.getMessage(), e);
    }
  }
}
