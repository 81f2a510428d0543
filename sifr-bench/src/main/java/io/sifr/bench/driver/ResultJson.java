package io.sifr.bench.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Results as JSON, one object per line. Thread-safe. */
public final class ResultJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private ResultJson() {}

  /** One line, without its end. */
  public static String write(RunResult result) {
    try {
      return MAPPER.writeValueAsString(result);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write a result as JSON", e);
    }
  }

  /**
   * Reads such a line again.
   *
   * @throws IllegalArgumentException when it is not one
   */
  public static RunResult read(String line) {
    try {
      return MAPPER.readValue(line, RunResult.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a result: " + e.getOriginalMessage(), e);
    }
  }
}
