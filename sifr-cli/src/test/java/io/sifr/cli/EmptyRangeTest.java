package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmptyRangeTest {
  @TempDir private Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"scan", "count", "export", "delete", "compact"})
  void isAMistakeThatIsTold(String command) {
    assertThat(Cli.run(temporary, "put", "b", "1").exitCode()).isZero();

    Cli.Result reversed = Cli.run(temporary, command, "--from", "c", "--to", "a");
    Cli.Result equal = Cli.run(temporary, command, "--from", "b", "--to", "b");
    Cli.Result unsigned = Cli.run(temporary, command, "--hex", "--from", "ff", "--to", "01");

    assertThat(reversed.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(reversed.out()).isEmpty();
    assertThat(reversed.err())
        .isEqualTo("sifr: the range is empty: --from 'c' is after --to 'a' in the order of keys\n");
    assertThat(equal.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(equal.err())
        .isEqualTo("sifr: the range is empty: it ends before --to 'b', which is also --from\n");
    assertThat(unsigned.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(temporary, "get", "b").out()).isEqualTo("1\n");
  }

  @Test
  void aRangeWithoutEntriesIsNone() {
    assertThat(Cli.run(temporary, "put", "b", "1").exitCode()).isZero();

    Cli.Result scan = Cli.run(temporary, "scan", "--hex", "--from", "01", "--to", "0100");

    assertThat(scan.exitCode()).isZero();
    assertThat(scan.err()).isEmpty();
  }
}
