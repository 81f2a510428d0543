package io.sifr.internal.sst.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.util.Bytes.VarInts;
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
  private final Footer footer = Footer.decode(file, content, content.limit(), FileKeys.NONE);
  private final int blocksEnd = footer.blocksEnd();

  @Test
  void ofAPartOfTheIndex() {
    int whole = footer.topOffset() - blocksEnd - StoredBlock.BYTES;
    for (int length = 0; length < whole; length++) {
      ByteBuffer tail = ByteBuffer.allocate(whole + 100);
      tail.put(content.slice(blocksEnd, length));
      seal(tail, 0);
      int topAt = tail.position();
      VarInts.put(tail, 0);
      VarInts.put(tail, 0);
      VarInts.put(tail, topAt);
      seal(tail, topAt);
      assertDescribed(tail, blocksEnd + topAt, tail.position() - topAt);
    }
  }

  @Test
  void ofTheTopOfTheIndex() {
    int parts = footer.topOffset() - blocksEnd;
    for (int length = 0; length < footer.topBytes() - StoredBlock.BYTES; length++) {
      ByteBuffer tail = ByteBuffer.allocate(parts + footer.topBytes());
      tail.put(content.slice(blocksEnd, parts + length));
      seal(tail, parts);
      assertDescribed(tail, footer.topOffset(), length + StoredBlock.BYTES);
    }
  }

  /** Writes a trailer after what begins there and ends at the position. */
  private void seal(ByteBuffer tail, int from) {
    int end = tail.position() + StoredBlock.BYTES;
    tail.position(end);
    new StoredBlock.Encoder(meta.uniqueId(), null).complete(tail, from, end, blocksEnd + from);
  }

  private void assertDescribed(ByteBuffer tail, int topOffset, int topBytes) {
    Footer cut =
        new Footer(
            blocksEnd,
            new Footer.Top(topOffset, topBytes),
            footer.propertiesBytes(),
            footer.blocks(),
            null,
            footer.fileBytes(),
            footer.encoder());
    StoredBlock.Decoder.Tail blocks =
        new StoredBlock.Decoder.Tail(
            new StoredBlock.Decoder(file, meta.uniqueId(), BlockCodecs.STANDARD, null),
            tail,
            blocksEnd);
    assertThatThrownBy(() -> readIndex(cut, blocks))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("index of " + footer.blocks() + " blocks: ")
        .hasMessageNotContaining("null");
  }

  private void readIndex(Footer cut, StoredBlock.Decoder.Tail blocks) {
    IndexTop top = IndexTop.read(cut, 0, blocks);
    PageSource pages = (from, to) -> blocks.bytes().duplicate().clear();
    try (SharedCache.OfStore none = new SharedCache.OfStore(0)) {
      assertThat(top.part(0, pages, none)).isNull();
    }
  }

  @Test
  void ofTheProperties() {
    for (int length = 0; length < footer.propertiesBytes() - StoredBlock.BYTES; length++) {
      ByteBuffer cut = content.slice(footer.propertiesOffset(), length);
      assertThatThrownBy(() -> SstProperties.decode(file, cut, footer.propertiesOffset(), 0))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("properties: ")
          .hasMessageNotContaining("null");
    }
  }
}
