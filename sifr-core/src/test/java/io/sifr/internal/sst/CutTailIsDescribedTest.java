package io.sifr.internal.sst;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Index and properties that end too soon, which only a wrong writer makes: checksums are right. */
class CutTailIsDescribedTest {
  private final SstFixture fixture = new SstFixture();
  private final SstMeta meta =
      fixture.write(SstFixture.draw(new Random(1), SstFixture.Shape.NUMBERS, 3000));
  private final Path file = FileKind.SST.path(SstFixture.DIRECTORY, meta.number());
  private final ByteBuffer content = ByteBuffer.wrap(fixture.fs.content(file));
  private final Footer footer =
      Footer.decode(
          file,
          content,
          content.limit(),
          FileHeader.decode(file, content, FileKind.SST, meta.number()));

  @Test
  void ofTheIndex() {
    for (int length = 0; length < footer.indexLength(); length++) {
      ByteBuffer cut = content.slice(footer.indexOffset(), length);
      assertThatThrownBy(() -> FenceIndex.decode(file, cut, footer.indexOffset(), footer.blocks()))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("index of " + footer.blocks() + " blocks: ")
          .hasMessageNotContaining("null");
    }
  }

  @Test
  void ofTheProperties() {
    for (int length = 0; length < footer.propertiesLength(); length++) {
      ByteBuffer cut = content.slice(footer.propertiesOffset(), length);
      assertThatThrownBy(() -> SstProperties.decode(file, cut, footer.propertiesOffset()))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("properties: ")
          .hasMessageNotContaining("null");
    }
  }
}
