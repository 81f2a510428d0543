package io.sifr.event;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of a store: a value for each {@link Metric}. Immutable.
 *
 * <pre>{@code
 * long trees = store.statistics().get(Metric.TREES);
 * }</pre>
 */
public final class StoreStatistics implements Metric.Values {
  private final @Nullable Object[] values;

  private StoreStatistics(@Nullable Object[] values) {
    this.values = values;
  }

  /** Statistics without any value, to be set. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The value of a metric.
   *
   * @throws IllegalArgumentException when these statistics have none: those of {@link
   *     io.sifr.Store#statistics} have all
   */
  @Override
  @SuppressWarnings("unchecked") // the builder puts nothing else there
  public <T> T get(Metric<T> metric) {
    Function<Metric.Values, T> formula = metric.formula();
    Object value = formula == null ? values[metric.index()] : formula.apply(this);
    if (value == null) {
      throw new IllegalArgumentException("these statistics have no " + metric);
    }
    return (T) value;
  }

  /** As above, of a whole number. */
  @Override
  public long get(Metric.OfLong metric) {
    Metric<Long> generic = metric;
    return get(generic);
  }

  /** As above, of a ratio. */
  @Override
  public double get(Metric.OfDouble metric) {
    Metric<Double> generic = metric;
    return get(generic);
  }

  /** Collects values. For one thread. */
  public static final class Builder {
    private final @Nullable Object[] values = new Object[Metric.all().size()];

    private Builder() {}

    /** Sets the value of a metric; one that follows from others keeps its own. */
    public <T> Builder set(Metric<T> metric, T value) {
      values[metric.index()] = value;
      return this;
    }

    /** As above, of a number. */
    public Builder set(Metric.OfLong metric, long value) {
      values[metric.index()] = value;
      return this;
    }

    /** The statistics. */
    public StoreStatistics build() {
      return new StoreStatistics(values.clone());
    }
  }
}
