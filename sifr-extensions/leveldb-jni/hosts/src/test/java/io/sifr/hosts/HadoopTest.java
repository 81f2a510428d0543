package io.sifr.hosts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.ShuffleHandler;
import org.apache.hadoop.mapreduce.security.token.JobTokenIdentifier;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.delegation.DelegationKey;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.timeline.TimelineDomain;
import org.apache.hadoop.yarn.api.records.timeline.TimelineEntities;
import org.apache.hadoop.yarn.api.records.timeline.TimelineEntity;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.records.impl.pb.MasterKeyPBImpl;
import org.apache.hadoop.yarn.server.nodemanager.recovery.NMLeveldbStateStoreService;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.LeveldbRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.conf.LeveldbConfigurationStore;
import org.apache.hadoop.yarn.server.timeline.LeveldbTimelineStore;
import org.apache.hadoop.yarn.server.timeline.TimelineDataManager;
import org.apache.hadoop.yarn.server.timeline.TimelineReader.Field;
import org.apache.hadoop.yarn.server.timeline.recovery.LeveldbTimelineStateStore;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's services begin where there is no database, and find what they wrote when started again. */
class HadoopTest {
  private static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 2);

  @TempDir File directory;

  private final Configuration configuration = new YarnConfiguration();

  @Test
  void nodeManagersStateStore() throws Exception {
    configuration.set(YarnConfiguration.NM_RECOVERY_DIR, directory.getPath());
    ApplicationAttemptId attempt = ApplicationAttemptId.newInstance(APPLICATION, 3);
    MasterKeyPBImpl key = new MasterKeyPBImpl();
    key.setKeyId(7);
    key.setBytes(ByteBuffer.wrap("secret".getBytes(UTF_8)));
    try (NMLeveldbStateStoreService store = new NMLeveldbStateStoreService()) {
      store.init(configuration);
      store.start();
      assertThat(store.isNewlyCreated()).isTrue();
      store.storeNMTokenCurrentMasterKey(key);
      store.storeNMTokenApplicationMasterKey(attempt, key);
    }
    try (NMLeveldbStateStoreService store = new NMLeveldbStateStoreService()) {
      store.init(configuration);
      store.start();
      assertThat(store.isNewlyCreated()).isFalse();
      assertThat(store.loadNMTokensState().getCurrentMasterKey().getKeyId()).isEqualTo(7);
      try (var keys = store.loadNMTokensState().getIterator()) {
        Map.Entry<ApplicationAttemptId, ?> found = keys.next();
        assertThat(found.getKey()).isEqualTo(attempt);
        assertThat(keys.hasNext()).isFalse();
      }
    }
  }

  @Test
  void resourceManagersStateStore() throws Exception {
    configuration.set(YarnConfiguration.RM_LEVELDB_STORE_PATH, directory.getPath());
    for (long epoch = 0; epoch < 3; epoch++) {
      try (LeveldbRMStateStore store = new LeveldbRMStateStore()) {
        store.init(configuration);
        store.start();
        store.checkVersion();
        assertThat(store.getAndIncrementEpoch()).isEqualTo(epoch);
        assertThat(store.loadState().getApplicationState()).isEmpty();
      }
    }
  }

  @Test
  void shuffleHandler() throws Exception {
    configuration.setInt(ShuffleHandler.SHUFFLE_PORT_CONFIG_KEY, 0);
    Token<JobTokenIdentifier> token =
        new Token<>(
            new JobTokenIdentifier(new Text("job")), new JobTokenSecretManager());
    ByteBuffer secret = ShuffleHandler.serializeServiceData(token);
    try (ShuffleHandler handler = started()) {
      handler.initializeApplication(
          new ApplicationInitializationContext("user", APPLICATION, secret));
    }
    assertThat(keysOfShuffleHandler()).containsExactly("job_1_0002", "shuffle-schema-version");
    try (ShuffleHandler handler = started()) { // and reads both
      handler.stopApplication(new ApplicationTerminationContext(APPLICATION));
    }
    assertThat(keysOfShuffleHandler()).containsExactly("shuffle-schema-version");
  }

  private List<String> keysOfShuffleHandler() throws IOException {
    File state = new File(directory, "mapreduce_shuffle_state");
    List<String> keys = new ArrayList<>();
    try (DB db = JniDBFactory.factory.open(state, new Options().createIfMissing(false));
        DBIterator iterator = db.iterator()) {
      iterator.seekToFirst();
      iterator.forEachRemaining(entry -> keys.add(JniDBFactory.asString(entry.getKey())));
    }
    return keys;
  }

  private ShuffleHandler started() {
    ShuffleHandler handler = new ShuffleHandler();
    handler.setRecoveryPath(new Path(directory.getPath()));
    handler.init(configuration);
    handler.start();
    return handler;
  }

  @Test
  void timelineServersStateStore() throws Exception {
    configuration.set(
        YarnConfiguration.TIMELINE_SERVICE_LEVELDB_STATE_STORE_PATH, directory.getPath());
    DelegationKey key = new DelegationKey(5, 6, "secret".getBytes(UTF_8));
    try (LeveldbTimelineStateStore store = new LeveldbTimelineStateStore()) {
      store.init(configuration);
      store.start();
      store.storeTokenMasterKey(key);
    }
    try (LeveldbTimelineStateStore store = new LeveldbTimelineStateStore()) {
      store.init(configuration);
      store.start();
      assertThat(store.loadState().getTokenMasterKeyState()).containsExactly(key);
    }
  }

  @Test
  void timelineServersStore() throws Exception {
    configuration.set(YarnConfiguration.TIMELINE_SERVICE_LEVELDB_PATH, directory.getPath());
    TimelineEntity entity = new TimelineEntity();
    entity.setEntityId("id");
    entity.setEntityType("type");
    entity.setStartTime(8L);
    entity.setDomainId("domain");
    TimelineEntities entities = new TimelineEntities();
    entities.addEntity(entity);
    TimelineDomain domain = new TimelineDomain();
    domain.setId("domain");
    domain.setOwner("owner");
    try (LeveldbTimelineStore store = new LeveldbTimelineStore()) {
      store.init(configuration);
      store.start();
      store.put(domain);
      assertThat(store.put(entities).getErrors()).isEmpty();
    }
    try (LeveldbTimelineStore store = new LeveldbTimelineStore()) {
      store.init(configuration);
      store.start();
      assertThat(store.getEntity("id", "type", EnumSet.allOf(Field.class)).getStartTime())
          .isEqualTo(8);
      TimelineDataManager.CheckAcl all = each -> true;
      assertThat(
              store
                  .getEntities("type", null, null, null, null, null, null, null, null, all)
                  .getEntities())
          .hasSize(1);
      assertThat(store.getDomains("owner").getDomains()).hasSize(1);
    }
  }

  /** It orders its keys by a comparator of its own: that database is refused, and nothing written. */
  @Test
  void configurationStoreIsRefused() throws IOException {
    configuration.set(YarnConfiguration.RM_SCHEDCONF_STORE_PATH, directory.getPath());
    LeveldbConfigurationStore store = new LeveldbConfigurationStore();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> store.initialize(configuration, new Configuration(false), null))
        .withMessageContaining("the comparator \"keyComparator\" cannot be used");
    assertThat(new File(directory, "yarn-conf-store")).isEmptyDirectory();
  }
}
