package io.sifr.internal.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every value of a value file is checked, in small steps, and each damaged one is named. */
class ValueScrubTest {
  private static final int VALUES = 40;
  private static final int VALUE_BYTES = 100_000;
  private static final int LARGE_BYTES = 3_000_000;

  @TempDir Path directory;
  private ValueFixture fixture = new ValueFixture(Path.of(""));
  private List<Reference> references = List.of();
  private final List<String> told = new ArrayList<>();
  private ValueFiles files = new ValueFixture(Path.of("")).files();

  @BeforeEach
  void write() {
    fixture = new ValueFixture(directory);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < VALUES; i++) {
      byte[] value = new byte[i == VALUES - 1 ? LARGE_BYTES : VALUE_BYTES];
      new Random(i).nextBytes(value);
      entries.add(ValueFixture.put("key" + i, i + 1, value));
    }
    references = fixture.write(Codecs.NONE, entries);
    files = fixture.files();
    files.hold(ValueFixture.NUMBER);
  }

  @AfterEach
  void close() {
    files.close();
  }

  private ValueScrub scrub() {
    return new ValueScrub(files, ValueFixture.NUMBER, why -> told.add(why.getMessage()));
  }

  private static long run(ValueScrub scrub) {
    long bytes = 0;
    while (!scrub.isDone()) {
      long read = scrub.step(() -> {});
      assertThat(read).isLessThan(2 << 20);
      bytes += read;
    }
    return bytes;
  }

  private void damage(long offset) throws IOException {
    byte[] content = fixture.content();
    content[(int) offset] ^= 1;
    Files.write(fixture.path(), content);
  }

  @Test
  void allOfTheFileIsRead() throws IOException {
    assertThat(run(scrub())).isEqualTo(Files.size(fixture.path()) - ValueFile.FIRST_RECORD);
    assertThat(told).isEmpty();
  }

  @Test
  void eachDamagedValueIsNamedAndTheOthersAreChecked() throws IOException {
    damage(references.get(3).offset() + 50_000);
    damage(references.get(VALUES - 1).offset() + LARGE_BYTES - 10);
    run(scrub());
    assertThat(told).hasSize(2);
    assertThat(told.get(0)).contains("key3\"");
    assertThat(told.get(1)).contains("key39\"");
  }

  @Test
  void afterADamagedHeadNothingIsFound() throws IOException {
    damage(references.get(3).offset() + 10);
    damage(references.get(5).offset() + 50_000);
    run(scrub());
    assertThat(told).hasSize(1);
    assertThat(told.get(0)).contains("offset " + references.get(3).offset());
  }

  /** What is opened for reading while puts append to it has later values, too. */
  @Test
  void aFileThatGrowsIsReadAsItIsNow() throws IOException {
    long number = ValueFixture.NUMBER + 1;
    Path path = FileKind.VALUES.path(directory, number);
    try (ValueWriter writer = files.create(number, 1, ValueFixture.DATABASE, Codecs.NONE)) {
      Reference last = add(writer, 0);
      ValueFile file = files.file(number);
      assertThat(keys(file)).containsExactly("0");
      for (int i = 1; i < 5; i++) {
        last = add(writer, i);
      }
      assertThat(keys(file)).containsExactly("0", "1", "2", "3", "4");
      assertThat(file.bytes()).isEqualTo(Files.size(path));
      file.requireSame(last, ValueFixture.bytes("4"));

      last = add(writer, 5);
      byte[] content = Files.readAllBytes(path);
      content[(int) last.offset() + VALUE_BYTES / 2] ^= 1;
      Files.write(path, content);
      assertThat(run(new ValueScrub(files, number, why -> told.add(why.getMessage()))))
          .isEqualTo(Files.size(path) - ValueFile.FIRST_RECORD);
      assertThat(told).hasSize(1);
      assertThat(told.get(0)).contains("key \"5\"");
    }
  }

  private static Reference add(ValueWriter writer, int key) {
    byte[] value = new byte[VALUE_BYTES];
    Reference added =
        writer.add(
            0,
            ExpiringKind.NEVER,
            ValueFixture.bytes(Integer.toString(key)),
            value.length,
            (target, offset, length) -> {});
    writer.flush();
    return added;
  }

  private static List<String> keys(ValueFile file) {
    List<String> keys = new ArrayList<>();
    file.scan(record -> keys.add(new String(record.key(), UTF_8)));
    return keys;
  }

  @Test
  void aFileThatIsDeletedMeanwhileIsDone() {
    ValueScrub scrub = scrub();
    scrub.step(() -> {});
    assertThat(scrub.isDone()).isFalse();
    files.letGo(ValueFixture.NUMBER);
    assertThat(fixture.path()).doesNotExist();
    run(scrub);
    assertThat(told).isEmpty();
  }

  @Test
  void nothingKeepsAFileThatNobodyHolds() {
    Reference first = references.get(0);
    files.letGo(ValueFixture.NUMBER);
    byte[] key = ValueFixture.bytes("key0");
    assertThatThrownBy(() -> files.read(first, key, 0, 1, new byte[1], 0))
        .isInstanceOf(CorruptionException.class);
    ValueScrub scrub = scrub();
    assertThat(scrub.step(() -> {})).isZero();
    assertThat(scrub.isDone()).isTrue();
  }

  @Test
  void aStepThatFailsIsTriedAgainWhereItWas() {
    ValueScrub scrub = scrub();
    long before = scrub.step(() -> {});
    AtomicInteger calls = new AtomicInteger();
    assertThatThrownBy(
            () ->
                scrub.step(
                    () -> {
                      if (calls.incrementAndGet() == 3) {
                        throw new StoreIoException(fixture.path(), "read", new IOException("no"));
                      }
                    }))
        .isInstanceOf(StoreIoException.class);
    assertThat(scrub.failures()).isOne();
    assertThat(before + run(scrub)).isLessThan(fixture.path().toFile().length());
    assertThat(told).isEmpty();
  }

  @Test
  void itEndsWhenTheStoreCloses() {
    ValueScrub scrub = scrub();
    assertThatThrownBy(
            () ->
                scrub.step(
                    () -> {
                      throw new CancellationException("closing");
                    }))
        .isInstanceOf(CancellationException.class);
    assertThat(scrub.isDone()).isFalse();
    assertThat(run(scrub)).isPositive();
  }
}
