package io.sifr.kafka.streams;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.streams.processor.StateStore;
import org.jspecify.annotations.Nullable;

/**
 * Reports to Kafka Streams for how long a store keeps its entries, so that a restore reads no more
 * of the changelog than that. Since 4.4 it queries the innermost store for an interface of its own.
 * A class that implements it cannot be loaded where it is missing, so an object that the JVM makes
 * does, and hands all that is called on to the store.
 */
final class Retention implements InvocationHandler {
  /**
   * The method that Kafka Streams queries, null if it does not, or not in the way that is known
   * here.
   */
  private static final @Nullable Method QUESTION = question();

  private final StateStore store;
  private final long millis;

  private Retention(StateStore store, long millis) {
    this.store = store;
    this.millis = millis;
  }

  private static @Nullable Method question() {
    try {
      Class<?> asked =
          Class.forName("org.apache.kafka.streams.state.internals.WithRetentionPeriod");
      Method method = asked.getMethod("retentionPeriod");
      boolean isAllThereIs =
          Stream.of(asked.getMethods())
              .allMatch(each -> each.equals(method) || !Modifier.isAbstract(each.getModifiers()));
      boolean isKnown = asked.isInterface() && method.getReturnType() == long.class;
      return isKnown && isAllThereIs ? method : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * A store, with its retention period if Kafka Streams queries it.
   *
   * @param millis for how many milliseconds it keeps its entries
   */
  @SuppressWarnings("unchecked")
  static <S extends StateStore> S tell(S store, long millis) {
    if (QUESTION == null) {
      return store;
    }
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> type = store.getClass(); type != null; type = type.getSuperclass()) {
      interfaces.addAll(Set.of(type.getInterfaces()));
    }
    interfaces.add(QUESTION.getDeclaringClass());
    return (S)
        Proxy.newProxyInstance(
            Retention.class.getClassLoader(),
            interfaces.toArray(Class<?>[]::new),
            new Retention(store, millis));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.equals(QUESTION)) {
      return millis;
    }
    if (method.getName().equals("equals") && method.getDeclaringClass() == Object.class) {
      return proxy == Objects.requireNonNull(arguments)[0];
    }
    try {
      return method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
