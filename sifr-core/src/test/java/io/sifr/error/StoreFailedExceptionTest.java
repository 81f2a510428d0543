package io.sifr.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StoreFailedExceptionTest {
  private static String messageFor(Throwable cause) {
    return String.valueOf(new StoreFailedException(Path.of("store"), cause).getMessage());
  }

  @Test
  void tellsWhatOurExceptionsTell() {
    assertThat(messageFor(new StoreIoException(Path.of("file"), "sync", new IOException("broken"))))
        .isEqualTo(
            "store takes no writes until it is reopened, because: "
                + "cannot sync file: java.io.IOException: broken");
  }

  @Test
  void namesTheClassOfACauseThatTellsNothing() {
    assertThat(messageFor(new StackOverflowError()))
        .endsWith(", because: java.lang.StackOverflowError");
  }

  @Test
  void namesWhatIsAtTheRoot() {
    Throwable cause = new ExceptionInInitializerError(new IllegalArgumentException("not aligned"));
    assertThat(messageFor(cause))
        .endsWith(
            ", because: java.lang.ExceptionInInitializerError,"
                + " caused by java.lang.IllegalArgumentException: not aligned");
  }
}
