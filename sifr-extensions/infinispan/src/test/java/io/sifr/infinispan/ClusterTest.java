package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("host")
class ClusterTest {
  @TempDir Path directory;

  /** Of which no node is started: nothing but the cluster itself has taken a port. */
  @Test
  void noTwoHaveTheSamePorts() {
    try (Cluster one = new Cluster(directory, 2, 1);
        Cluster other = new Cluster(directory, 4, 1)) {
      assertThat(other.clientAddresses().split(";"))
          .doesNotContain(one.clientAddresses().split(";"));
    }
  }

  @Test
  void aClosedOneLeavesItsPorts() {
    for (int i = 0; i < 200; i++) {
      new Cluster(directory, 10, 1).close();
    }
  }

  /** The log may be in a directory that is gone when somebody looks. */
  @Test
  void aNodeThatDoesNotStartSaysWhy() throws IOException {
    try (Cluster cluster = new Cluster(directory, 1, 1);
        ServerSocket taken = new ServerSocket(port(cluster))) {
      assertThatThrownBy(() -> cluster.start(0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("node0 has ended")
          .hasMessageContaining("BindException");
      assertThat(taken.isBound()).isTrue();
    }
  }

  private static int port(Cluster cluster) {
    return Integer.parseInt(cluster.clientAddresses().replaceAll(".*:", ""));
  }
}
