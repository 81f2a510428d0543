package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.error.StoreLockedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.DBException;
import site.ycsb.Status;

class StoreIsSharedByClientsTest {
  @TempDir Path parent;
  private final List<SifrClient> clients = new ArrayList<>();

  @AfterEach
  void allLeave() throws DBException {
    for (SifrClient client : clients) {
      client.cleanup();
    }
  }

  @Test
  void theStoreIsOpenUntilTheLastClientLeaves() throws DBException {
    SifrClient first = join("store");
    SifrClient second = join("store");
    first.insert("t", "k", Fields.of("a", "1"));

    first.cleanup();
    assertThat(second.read("t", "k", null, new HashMap<>())).isEqualTo(Status.OK);
    assertThatThrownBy(() -> Store.open(parent.resolve("store")).close())
        .isInstanceOf(StoreLockedException.class);

    second.cleanup();
    Store.open(parent.resolve("store")).close();
  }

  @Test
  void cleaningUpTwiceCountsOnce() throws DBException {
    SifrClient first = join("store");
    SifrClient second = join("store");

    first.cleanup();
    first.cleanup();

    assertThat(second.insert("t", "k", Fields.of("a", "1"))).isEqualTo(Status.OK);
  }

  @Test
  void aClientThatLeftCanComeBack() throws DBException {
    SifrClient client = join("store");
    client.insert("t", "k", Fields.of("a", "1"));
    client.cleanup();
    client.init();

    assertThat(client.read("t", "k", null, new HashMap<>())).isEqualTo(Status.OK);
  }

  @Test
  void anotherDirectoryIsRefusedWhileOneIsOpenAndTakenAfterwards() throws DBException {
    SifrClient first = join("one");

    assertThatThrownBy(() -> join("two"))
        .isInstanceOf(DBException.class)
        .hasMessageContaining("sifr.dir=" + parent.resolve("one"))
        .hasMessageContaining("sifr.dir=" + parent.resolve("two"));
    assertThat(parent.resolve("two")).doesNotExist();

    first.cleanup();
    join("two");
    assertThat(parent.resolve("two")).isDirectory();
  }

  @Test
  void otherSettingsAreRefusedToo() throws DBException {
    join("store");

    assertThatThrownBy(() -> join("store", "sifr.durability", "sync"))
        .isInstanceOf(DBException.class)
        .hasMessageContaining("sifr.durability=sync");
  }

  @Test
  void theSameDirectorySpeltOtherwiseIsTheSame() throws DBException {
    join("store");
    join("x/../store");
  }

  @Test
  void aSecondInitialisationIsAnError() throws DBException {
    SifrClient client = join("store");

    assertThatThrownBy(client::init)
        .isInstanceOf(DBException.class)
        .hasMessage("this client is initialised already");
  }

  @Test
  void aStoreThatCannotBeOpenedLeavesNothingBehind() throws Exception {
    Path file = Files.createFile(parent.resolve("file"));

    assertThatThrownBy(() -> join("file")).isInstanceOf(DBException.class);
    assertThatThrownBy(() -> join("none", "sifr.createIfMissing", "false"))
        .isInstanceOf(DBException.class);

    Files.delete(file);
    join("file");
  }

  @Test
  void theDirectoryIsRequired() {
    SifrClient client = new SifrClient();
    client.setProperties(new Properties());

    assertThatThrownBy(client::init)
        .isInstanceOf(DBException.class)
        .hasMessageContaining("sifr.dir is not set");
  }

  private SifrClient join(String directory, String... settings) throws DBException {
    Properties properties = new Properties();
    properties.setProperty("sifr.dir", parent.resolve(directory).toString());
    for (int i = 0; i < settings.length; i += 2) {
      properties.setProperty(settings[i], settings[i + 1]);
    }
    SifrClient client = new SifrClient();
    client.setProperties(properties);
    clients.add(client);
    client.init();
    return client;
  }
}
