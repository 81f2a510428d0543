package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** See {@link Codecs#tuples}. */
final class TupleCodec implements OrderedCodec<List<Object>> {
  private static final String WHAT = "tuple";

  private final List<OrderedCodec<Object>> components;
  private final int fixedLength;

  TupleCodec(List<OrderedCodec<?>> components) {
    if (components.isEmpty()) {
      throw new IllegalArgumentException("a tuple without components");
    }
    this.components = components.stream().map(TupleCodec::ofObjects).toList();
    this.fixedLength =
        components.stream().anyMatch(codec -> codec.fixedLength() == VARIABLE_LENGTH)
            ? VARIABLE_LENGTH
            : components.stream().mapToInt(OrderedCodec::fixedLength).sum();
  }

  @SuppressWarnings("unchecked") // an object of another class is refused by the codec
  private static OrderedCodec<Object> ofObjects(OrderedCodec<?> codec) {
    return (OrderedCodec<Object>) codec;
  }

  @Override
  public byte[] encode(List<Object> value) {
    if (value.size() != components.size()) {
      throw new IllegalArgumentException(
          "a tuple of " + value.size() + " components, not " + components.size());
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < components.size(); i++) {
      byte[] component = components.get(i).encode(value.get(i));
      if (isEscaped(i)) {
        Escaping.write(component, bytes);
      } else {
        bytes.writeBytes(component);
      }
    }
    return bytes.toByteArray();
  }

  private boolean isEscaped(int component) {
    return component < components.size() - 1
        && components.get(component).fixedLength() == VARIABLE_LENGTH;
  }

  @Override
  public List<Object> decode(byte[] bytes) {
    List<Object> value = new ArrayList<>(components.size());
    int at = 0;
    for (int i = 0; i < components.size(); i++) {
      OrderedCodec<Object> codec = components.get(i);
      if (isEscaped(i)) {
        ByteArrayOutputStream component = new ByteArrayOutputStream();
        at = Escaping.read(bytes, at, component, WHAT);
        value.add(codec.decode(component.toByteArray()));
      } else {
        int end = i == components.size() - 1 ? bytes.length : at + codec.fixedLength();
        if (end > bytes.length) {
          throw Escaping.tooShort(bytes, WHAT);
        }
        value.add(codec.decode(Arrays.copyOfRange(bytes, at, end)));
        at = end;
      }
    }
    return List.copyOf(value);
  }

  @Override
  public Comparator<? super List<Object>> comparator() {
    return (a, b) -> {
      for (int i = 0; i < components.size(); i++) {
        int order = components.get(i).comparator().compare(a.get(i), b.get(i));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    };
  }

  @Override
  public int fixedLength() {
    return fixedLength;
  }
}
