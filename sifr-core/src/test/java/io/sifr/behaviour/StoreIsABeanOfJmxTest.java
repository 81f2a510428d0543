package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.jmx.StoreBeans;
import io.sifr.jmx.StoreMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreIsABeanOfJmxTest {
  private static final String OTHER = "other";

  @TempDir Path directory;

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

  private Set<ObjectName> beans() throws Exception {
    return server.queryNames(new ObjectName("io.sifr:type=Store,*"), null);
  }

  @Test
  void onlyWhenAskedForAndUntilItIsClosed() throws Exception {
    Set<ObjectName> others = beans();
    ObjectName name;
    try (Store store = SmallStores.open(directory)) {
      assertThat(beans()).isEqualTo(others);
      name = StoreBeans.register(store);
      assertThat(beans()).contains(name);
      assertThat(name.getKeyProperty("directory"))
          .isEqualTo(ObjectName.quote(store.directory().toString()));
    }
    assertThat(server.isRegistered(name)).isFalse();
    try (Store again = SmallStores.open(directory)) {
      assertThat(StoreBeans.register(again)).isEqualTo(name);
    }
    assertThat(beans()).isEqualTo(others);
  }

  /** Paths may hold what has a meaning in names of beans. */
  @Test
  void twoStoresAreTwoBeans() throws Exception {
    try (Store one = SmallStores.open(directory.resolve("a,b=c"));
        Store two = SmallStores.open(directory.resolve("a,b=c2"))) {
      ObjectName first = StoreBeans.register(one);
      ObjectName second = StoreBeans.register(two);
      assertThat(first).isNotEqualTo(second);
      assertThat(server.getAttribute(first, "Directory")).isEqualTo(one.directory().toString());
      assertThat(server.getAttribute(second, "Directory")).isEqualTo(two.directory().toString());
    }
  }

  /** As a console reads them, with nothing but classes of the JDK. */
  @Test
  void attributesAreThoseOfTheStatistics() throws Exception {
    try (Store store = SmallStores.open(directory)) {
      SmallStores.fill(store.database(), 0, 2000, 1);
      var unused = store.openOrCreateDatabase(OTHER);
      store.flush();
      store.awaitIdle();
      ObjectName name = StoreBeans.register(store);
      assertThat(server.getAttribute(name, "UserBytes"))
          .isEqualTo(store.statistics().get(Metric.USER_BYTES));
      assertThat(server.getAttribute(name, "Ssts")).isEqualTo(store.statistics().get(Metric.SSTS));
      assertThat((String[]) server.getAttribute(name, "DatabaseNames"))
          .containsExactly("default", OTHER);
      assertThat(server.getAttribute(name, "CompactionsStageFull")).isInstanceOf(Long.class);
      assertThat(server.getAttributes(name, new String[] {"Directory", "Ssts", "None"}).asList())
          .extracting(Attribute::getName)
          .containsExactly("Directory", "Ssts");
      assertThatThrownBy(() -> server.getAttribute(name, "None"))
          .isInstanceOf(AttributeNotFoundException.class);
      assertThat(server.getMBeanInfo(name).getAttributes())
          .extracting(MBeanAttributeInfo::getName)
          .contains("Databases", "PutMicrosP99", "GetMicrosMax", "SpaceAmplification")
          .hasSizeGreaterThan(60);
      for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
        assertThat(server.getAttribute(name, attribute.getName()))
            .as(attribute.getName())
            .isNotNull();
        assertThat(attribute.isWritable()).isFalse();
      }
    }
  }

  @Test
  void operationsAreThoseOfTheStore() throws Exception {
    try (Store store = SmallStores.open(directory)) {
      ObjectName name = StoreBeans.register(store);
      StoreMXBean bean = JMX.newMXBeanProxy(server, name, StoreMXBean.class);
      bean.pauseCompactions();
      for (int version = 0; version < 6; version++) {
        SmallStores.fill(store.database(), 0, 10, version);
        bean.flush();
      }
      store.awaitIdle();
      assertThat(store.database().forest().trees()).isEqualTo(6);
      bean.resumeCompactions();
      bean.compact("default");
      assertThat(store.database().forest().trees()).isEqualTo(1);
      assertThatThrownBy(() -> bean.compact("none"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("none");
      assertThat(server.getMBeanInfo(name).getOperations())
          .extracting(MBeanOperationInfo::getName)
          .containsExactlyInAnyOrder(
              "flush", "compact", "backup", "checkpoint", "pauseCompactions", "resumeCompactions");
    }
  }

  @Test
  void copiesAreMade() {
    Path copy = directory.resolve("copy");
    Path place = directory.resolve("place");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      SmallStores.fill(store.database(), 0, 500, 1);
      StoreMXBean bean = bean(store);
      bean.checkpoint(copy.toString());
      assertThat(bean.backup(place.toString())).isEqualTo(1);
      SmallStores.fill(store.database(), 0, 500, 2);
      assertThat(bean.backup(place.toString())).isEqualTo(2);
    }
    Backups.in(place).restore(2, directory.resolve("restored"));
    try (Store first = SmallStores.open(copy);
        Store second = SmallStores.open(directory.resolve("restored"))) {
      assertThat(SmallStores.content(first.database())).isEqualTo(SmallStores.filled(0, 500, 1));
      assertThat(SmallStores.content(second.database())).isEqualTo(SmallStores.filled(0, 500, 2));
    }
  }

  private StoreMXBean bean(Store store) {
    return JMX.newMXBeanProxy(server, StoreBeans.register(store), StoreMXBean.class);
  }

  @Test
  void wrongDirectoriesAreToldInExceptionsOfTheJdk() throws Exception {
    Path other = Files.writeString(directory.resolve("file"), "something");
    Path place = directory.resolve("place");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      StoreMXBean bean = bean(store);
      for (Consumer<String> copy : List.<Consumer<String>>of(bean::checkpoint, bean::backup)) {
        for (String relative : List.of("", "copy", "a/b")) {
          assertThatThrownBy(() -> copy.accept(relative))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("the directory is \"" + relative + "\"; allowed: an absolute path");
        }
        assertThatThrownBy(() -> copy.accept("/a\0b"))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("is no path");
        assertThatThrownBy(() -> copy.accept(directory.toString()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("is not empty");
        assertThatThrownBy(() -> copy.accept(store.directory().resolve("copy").toString()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("is inside");
        assertThatThrownBy(() -> copy.accept(other.resolve("copy").toString()))
            .isExactlyInstanceOf(IllegalStateException.class)
            .hasMessageContaining("file");
      }
      assertThat(bean.backup(place.toString())).isEqualTo(1);
      try (DirectoryLock lock = new DiskFileSystem().lock(place, "LOCK")) {
        assertThatThrownBy(() -> bean.backup(place.toString()))
            .isExactlyInstanceOf(IllegalStateException.class)
            .hasNoCause()
            .hasMessageContaining("is already open");
      }
    }
  }

  @Test
  void registeringTwiceOrAfterCloseIsRefused() {
    Store store = SmallStores.open(directory);
    ObjectName name = StoreBeans.register(store);
    assertThatThrownBy(() -> StoreBeans.register(store))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is registered already");
    store.close();
    assertThatThrownBy(() -> StoreBeans.register(store))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(server.isRegistered(name)).isFalse();
  }
}
