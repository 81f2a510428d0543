package io.sifr.races;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/**
 * A jcstress test, run within this process and in a second: two threads go through the same states
 * side by side, and what came out is compared with what the test allows. It tries fewer states than
 * jcstress does, one compiler and no pinning of threads to cores; mistakes that need no luck with
 * the compiler it finds all the same.
 */
final class Race {
  private static final int STATES_A_ROUND = 500;
  private static final int SPINS_A_PARK = 1000;

  private final Class<?> test;
  private final List<Method> actors;
  private final @Nullable Method arbiter;

  Race(Class<?> test) {
    this.test = test;
    this.actors =
        Arrays.stream(test.getMethods())
            .filter(method -> method.isAnnotationPresent(Actor.class))
            .sorted(Comparator.comparing(Method::getName))
            .toList();
    this.arbiter =
        Arrays.stream(test.getMethods())
            .filter(method -> method.isAnnotationPresent(Arbiter.class))
            .findFirst()
            .orElse(null);
  }

  /** Runs it, and returns how often each result came that the test forbids. */
  Map<String, Integer> forbidden(int rounds) throws Exception {
    Map<String, Integer> forbidden = new TreeMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(actors.size());
    try {
      for (int round = 0; round < rounds; round++) {
        for (Object result : round(threads)) {
          if (!isAllowed(String.valueOf(result))) {
            forbidden.merge(String.valueOf(result), 1, Integer::sum);
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
    return forbidden;
  }

  private Object[] round(ExecutorService threads) throws Exception {
    Object[] states = new Object[STATES_A_ROUND];
    Object[] results = new Object[STATES_A_ROUND];
    for (int i = 0; i < STATES_A_ROUND; i++) {
      states[i] = test.getConstructor().newInstance();
      results[i] = resultType().getConstructor().newInstance();
    }
    AtomicInteger arrivals = new AtomicInteger();
    List<Future<?>> running = new ArrayList<>();
    for (Method actor : actors) {
      running.add(
          threads.submit(
              () -> {
                callAll(actor, states, results, arrivals);
                return null;
              }));
    }
    for (Future<?> actor : running) {
      actor.get();
    }
    if (arbiter != null) {
      callAll(arbiter, states, results, new AtomicInteger(Integer.MAX_VALUE / 2));
    }
    return results;
  }

  private void callAll(Method method, Object[] states, Object[] results, AtomicInteger arrivals)
      throws Exception {
    MethodHandle handle = MethodHandles.lookup().unreflect(method);
    boolean takesResult = method.getParameterCount() == 1;
    for (int i = 0; i < states.length; i++) {
      meet(arrivals, (i + 1) * actors.size());
      try {
        if (takesResult) {
          handle.invoke(states[i], results[i]);
        } else {
          handle.invoke(states[i]);
        }
      } catch (Throwable e) {
        arrivals.set(Integer.MAX_VALUE / 2); // nobody is to wait for this thread any more
        throw new IllegalStateException(method + " failed", e);
      }
    }
  }

  /** Lets the threads come to each state at the same time. */
  private static void meet(AtomicInteger arrivals, int expected) {
    arrivals.incrementAndGet();
    for (int spins = 0; arrivals.get() < expected; spins++) {
      if (spins % SPINS_A_PARK == SPINS_A_PARK - 1) {
        LockSupport.parkNanos(1); // the other may be waiting for our core
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private Class<?> resultType() {
    return Arrays.stream(test.getMethods())
        .filter(method -> method.isAnnotationPresent(Actor.class) || method.equals(arbiter))
        .filter(method -> method.getParameterCount() == 1)
        .findFirst()
        .orElseThrow()
        .getParameterTypes()[0];
  }

  private boolean isAllowed(String result) {
    return Arrays.stream(test.getAnnotationsByType(Outcome.class))
        .filter(outcome -> outcome.expect() != Expect.FORBIDDEN)
        .flatMap(outcome -> Arrays.stream(outcome.id()))
        .anyMatch(result::matches);
  }
}
