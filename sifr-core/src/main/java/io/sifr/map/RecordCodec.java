package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** See {@link Codecs#records}. */
final class RecordCodec<R extends Record> implements OrderedCodec<R> {
  private static final Map<Class<?>, OrderedCodec<?>> OF_TYPES =
      Map.ofEntries(
          Map.entry(String.class, StringCodec.STRINGS),
          Map.entry(int.class, FixedCodec.INTEGERS),
          Map.entry(Integer.class, FixedCodec.INTEGERS),
          Map.entry(long.class, FixedCodec.LONGS),
          Map.entry(Long.class, FixedCodec.LONGS),
          Map.entry(short.class, FixedCodec.SHORTS),
          Map.entry(Short.class, FixedCodec.SHORTS),
          Map.entry(double.class, FixedCodec.DOUBLES),
          Map.entry(Double.class, FixedCodec.DOUBLES),
          Map.entry(boolean.class, FixedCodec.BOOLEANS),
          Map.entry(Boolean.class, FixedCodec.BOOLEANS),
          Map.entry(UUID.class, FixedCodec.UUIDS),
          Map.entry(Instant.class, FixedCodec.INSTANTS),
          Map.entry(LocalDate.class, FixedCodec.DATES),
          Map.entry(BigDecimal.class, DecimalCodec.DECIMALS));

  private final Class<R> type;
  private final RecordComponent[] components;
  private final Constructor<R> constructor;
  private final OrderedCodec<List<Object>> tuples;

  /**
   * @param codecs of its components; empty: those of their types
   */
  RecordCodec(Class<R> type, List<OrderedCodec<?>> codecs) {
    RecordComponent[] declared = type.getRecordComponents();
    if (declared == null) {
      throw new IllegalArgumentException(type.getName() + " is no record");
    }
    this.type = type;
    this.components = declared;
    this.tuples = new TupleCodec(codecs.isEmpty() ? ofTypes(type, declared) : codecs);
    if (!codecs.isEmpty() && codecs.size() != declared.length) {
      throw new IllegalArgumentException(
          type.getName()
              + " has "
              + declared.length
              + " components, and there are "
              + codecs.size()
              + " codecs");
    }
    this.constructor = accessible(type, declared);
  }

  private static <R extends Record> Constructor<R> accessible(
      Class<R> type, RecordComponent[] components) {
    try {
      Constructor<R> canonical =
          type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      canonical.setAccessible(true);
      for (RecordComponent component : components) {
        component.getAccessor().setAccessible(true);
      }
      return canonical;
    } catch (NoSuchMethodException | InaccessibleObjectException e) {
      throw new IllegalArgumentException(
          type.getName() + " cannot be read or made: " + e.getMessage(), e);
    }
  }

  private static List<OrderedCodec<?>> ofTypes(Class<?> type, RecordComponent[] components) {
    List<OrderedCodec<?>> codecs = new ArrayList<>();
    for (RecordComponent component : components) {
      codecs.add(ofType(type, component));
    }
    return codecs;
  }

  private static OrderedCodec<?> ofType(Class<?> type, RecordComponent component) {
    Class<?> of = component.getType();
    OrderedCodec<?> known = OF_TYPES.get(of);
    if (known != null) {
      return known;
    } else if (of.isEnum()) {
      return new EnumCodec<>(List.of(of.getEnumConstants()));
    } else if (of.isRecord()) {
      return new RecordCodec<>(of.asSubclass(Record.class), List.of());
    }
    throw new IllegalArgumentException(
        "no codec is known for the component "
            + component.getName()
            + " of "
            + type.getName()
            + ", a "
            + of.getName()
            + ": give a codec for each component");
  }

  @Override
  public byte[] encode(R value) {
    return tuples.encode(tupleOf(value));
  }

  private List<Object> tupleOf(R value) {
    List<Object> tuple = new ArrayList<>(components.length);
    for (RecordComponent component : components) {
      tuple.add(component(value, component));
    }
    return tuple;
  }

  private Object component(R value, RecordComponent component) {
    Object read;
    try {
      read = component.getAccessor().invoke(value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "the component " + component.getName() + " of a " + type.getName() + " cannot be read",
          e);
    }
    if (read == null) {
      throw new IllegalArgumentException(
          "the component " + component.getName() + " of a " + type.getName() + " is null");
    }
    return read;
  }

  @Override
  public R decode(byte[] bytes) {
    Object[] values = tuples.decode(bytes).toArray();
    try {
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "no " + type.getName() + ": it cannot be made of " + Arrays.toString(values), e);
    }
  }

  @Override
  public Comparator<? super R> comparator() {
    return Comparator.comparing(this::tupleOf, tuples.comparator());
  }

  @Override
  public int fixedLength() {
    return tuples.fixedLength();
  }
}
