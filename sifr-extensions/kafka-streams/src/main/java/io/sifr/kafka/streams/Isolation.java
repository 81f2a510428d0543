package io.sifr.kafka.streams;

import java.lang.reflect.Method;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.streams.query.QueryConfig;
import org.jspecify.annotations.Nullable;

/** The isolation level of a query, which Kafka Streams has since 4.4. */
final class Isolation {
  private static final @Nullable Method LEVEL = level();

  private Isolation() {}

  private static @Nullable Method level() {
    try {
      return QueryConfig.class.getMethod("getIsolationLevel");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Whether a query wants to read what is committed, and nothing else. */
  static boolean isCommitted(QueryConfig config) {
    try {
      return LEVEL != null && LEVEL.invoke(config) == IsolationLevel.READ_COMMITTED;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("The isolation level of the query cannot be read", e);
    }
  }
}
