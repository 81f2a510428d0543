package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sifr.BufferView;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whoever begins with the library reads the lists of methods of {@link Database} and {@link Store},
 * and each form of an operation that stands there is one more to be told apart from the others. So
 * an operation has two forms, without options and with them, and buffers have views of their own.
 * Counted is what {@code javap -public} lists of a class, without constructors and fields.
 */
class PublicSurfaceTest {
  private static final Pattern MENTIONS = Pattern.compile("\\bB\\b");

  private static Stream<Method> methodsOf(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic());
  }

  @Test
  void aDatabaseHasFewMethods() {
    assertThat(methodsOf(Database.class)).hasSizeBetween(20, 49);
  }

  @Test
  void aStoreHasFewMethods() {
    assertThat(methodsOf(Store.class)).hasSizeBetween(20, 40);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Store.class,
        Database.class,
        BufferView.class,
        WriteBatch.class,
        Transaction.class
      })
  void noneTakesADurabilityBesideOptionsOrBuffersBesideAView(Class<?> type) {
    assertThat(methodsOf(type))
        .isNotEmpty()
        .noneMatch(
            method ->
                List.of(method.getParameterTypes()).contains(Durability.class)
                    || List.of(method.getParameterTypes()).contains(ByteBuf.class)
                    || List.of(method.getParameterTypes()).contains(ByteBuffer.class));
  }

  @Test
  void buffersHaveEveryMethodThatTakesOrReturnsArrays() {
    List<String> ofArrays =
        methodsOf(Database.class)
            .map(PublicSurfaceTest::form)
            .filter(form -> MENTIONS.matcher(form).find())
            .toList();
    assertThat(ofArrays).hasSizeGreaterThan(15);
    assertThat(methodsOf(BufferView.class).map(PublicSurfaceTest::form)).containsAll(ofArrays);
  }

  /** The method with its types, where both arrays of bytes and buffers are B. */
  private static String form(Method method) {
    return Arrays.stream(method.getGenericParameterTypes())
        .map(PublicSurfaceTest::name)
        .collect(
            Collectors.joining(
                ", ", name(method.getGenericReturnType()) + " " + method.getName() + "(", ")"));
  }

  private static String name(Type type) {
    if (type == byte[].class || type instanceof GenericArrayType || type instanceof TypeVariable) {
      return "B";
    }
    if (type instanceof ParameterizedType given) {
      return given.getRawType().getTypeName().replaceFirst(".*\\.", "").toLowerCase(Locale.ROOT)
          + Arrays.stream(given.getActualTypeArguments())
              .map(PublicSurfaceTest::name)
              .collect(Collectors.joining(", ", "<", ">"));
    }
    return type.getTypeName().replaceFirst(".*\\.", "").toLowerCase(Locale.ROOT);
  }
}
