package io.sifr.ratis;

import java.util.Arrays;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;

/** Reads which servers there are, from {@code a=host:port,b=host:port,c=host:port}. */
final class Servers {
  /** The one group of this example; a larger program would have one for each part of its keys. */
  private static final RaftGroupId GROUP =
      RaftGroupId.valueOf(UUID.fromString("5f1ab7e0-0000-4000-8000-000000000001"));

  private Servers() {}

  /**
   * The servers.
   *
   * @throws IllegalArgumentException when the text does not name any
   */
  static RaftGroup parse(String text) {
    return RaftGroup.valueOf(
        GROUP, Arrays.stream(text.split(",", -1)).map(Servers::server).toList());
  }

  private static RaftPeer server(String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException("'" + text + "' is not like a=127.0.0.1:6001");
    }
    return RaftPeer.newBuilder()
        .setId(text.substring(0, equals))
        .setAddress(text.substring(equals + 1))
        .build();
  }
}
