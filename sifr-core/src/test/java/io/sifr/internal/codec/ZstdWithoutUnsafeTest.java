package io.sifr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.Compression;
import io.sifr.testing.ChildJvm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The library for Zstandard needs sun.misc.Unsafe. Where a JVM does not have it, or denies its use,
 * that is said before anything is encoded, and again by what has to be decoded.
 */
class ZstdWithoutUnsafeTest {
  private static final String PROMISED = "Zstandard needs the library io.airlift:aircompressor";

  /** What is tried. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        print(() -> Codecs.required(Compression.ZSTD));
        print(() -> Codecs.ZSTD.encode(ByteBuffer.wrap(new byte[500]), ByteBuffer.allocate(4096)));
        ByteBuffer encoded = ByteBuffer.wrap(HexFormat.of().parseHex(arguments[0]));
        print(() -> Codecs.ZSTD.decode(encoded, ByteBuffer.allocate(500)));
      }
      ByteBuffer small = ByteBuffer.allocate(4096);
      System.out.println("LZ4 " + Codecs.LZ4.encode(ByteBuffer.wrap(new byte[500]), small));
    }

    private static void print(Runnable action) {
      try {
        action.run();
        System.out.println("done");
      } catch (RuntimeException | Error e) {
        System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
      }
    }
  }

  @Test
  void itIsSaidEachTime() {
    ByteBuffer encoded = ByteBuffer.allocate(4096);
    assertThat(Codecs.of(Compression.ZSTD).encode(ByteBuffer.wrap(new byte[500]), encoded))
        .isTrue();
    String hex = HexFormat.of().formatHex(encoded.array(), 0, encoded.position());
    List<String> lines = new ArrayList<>();
    try (ChildJvm child = ChildJvm.start(List.of(withoutUnsafe()), Child.class, hex)) {
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        lines.add(line);
      }
    }
    assertThat(lines).hasSize(7);
    assertThat(lines.get(6)).isEqualTo("LZ4 true");
    for (int i = 0; i < 6; i++) {
      assertThat(lines.get(i))
          .startsWith(i % 3 == 0 ? "IllegalArgumentException" : "UnsupportedOperationException")
          .contains(PROMISED);
    }
  }

  /** Denied, or on versions that cannot deny it, not there. */
  private static String withoutUnsafe() {
    return Runtime.version().feature() < 23
        ? "--limit-modules=java.base"
        : "--sun-misc-unsafe-memory-access=deny";
  }
}
