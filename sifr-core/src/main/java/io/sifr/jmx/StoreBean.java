package io.sifr.jmx;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/** The bean of one store, with the table of metrics as attributes. Thread-safe. */
final class StoreBean extends StandardMBean {
  /** A console reads all attributes one after the other. */
  private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private final List<MBeanAttributeInfo> metrics = new ArrayList<>();

  // Guarded by this.
  private @Nullable Map<String, Number> newest;
  private long takenAt;

  StoreBean(Store store) {
    super(new Operations(store), StoreMXBean.class, true);
    this.store = store;
    StoreStatistics first = store.statistics();
    for (Metric<?> metric : Metric.all()) {
      metric.numbers(first).forEach((name, n) -> metrics.add(describe(metric, name, n)));
    }
  }

  private static MBeanAttributeInfo describe(Metric<?> metric, String name, Number figure) {
    String type = figure.getClass().getName();
    return new MBeanAttributeInfo(attribute(name), type, metric.meaning(), true, false, false);
  }

  /** The metrics, by the names of their attributes. */
  private synchronized Map<String, Number> figures() {
    long now = System.nanoTime();
    Map<String, Number> known = newest;
    if (known == null || now - takenAt >= AGE_NANOS) {
      StoreStatistics statistics = store.statistics();
      Map<String, Number> taken = new TreeMap<>();
      for (Metric<?> metric : Metric.all()) {
        metric.numbers(statistics).forEach((name, n) -> taken.put(attribute(name), n));
      }
      newest = taken;
      takenAt = now;
      known = taken;
    }
    return known;
  }

  private static String attribute(String name) {
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }

  @Override
  public Object getAttribute(String name)
      throws AttributeNotFoundException, MBeanException, ReflectionException {
    Number figure = figures().get(name);
    return figure == null ? super.getAttribute(name) : figure;
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    Map<String, Number> figures = figures();
    AttributeList values = new AttributeList();
    for (String name : names) {
      Number figure = figures.get(name);
      if (figure == null) {
        values.addAll(super.getAttributes(new String[] {name}));
      } else {
        values.add(new Attribute(name, figure));
      }
    }
    return values;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanInfo info = super.getMBeanInfo();
    List<MBeanAttributeInfo> attributes = new ArrayList<>(Arrays.asList(info.getAttributes()));
    attributes.addAll(metrics);
    return new MBeanInfo(
        info.getClassName(),
        info.getDescription(),
        attributes.toArray(MBeanAttributeInfo[]::new),
        info.getConstructors(),
        info.getOperations(),
        info.getNotifications(),
        info.getDescriptor());
  }

  /** The operations and attributes that are no metrics. */
  private record Operations(Store store) implements StoreMXBean {
    @Override
    public String getDirectory() {
      return store.directory().toString();
    }

    @Override
    public String[] getDatabaseNames() {
      return store.databaseNames().toArray(String[]::new);
    }

    @Override
    public void flush() {
      run(store::flush);
    }

    @Override
    public void compact(String database) {
      run(() -> store.database(database).compact());
    }

    @Override
    public long backup(String directory) {
      Path path = path(directory);
      long[] number = new long[1];
      run(() -> number[0] = Backups.in(path).create(store).number());
      return number[0];
    }

    @Override
    public void checkpoint(String directory) {
      Path path = path(directory);
      run(() -> store.checkpoint(path));
    }

    @Override
    public void pauseCompactions() {
      run(store::pauseCompactions);
    }

    @Override
    public void resumeCompactions() {
      run(store::resumeCompactions);
    }

    /** Whoever calls knows nothing of the working directory of this process. */
    private static Path path(String directory) {
      Path path;
      try {
        path = Path.of(directory);
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("the directory is no path: " + e.getMessage(), e);
      }
      if (!path.isAbsolute()) {
        throw new IllegalArgumentException(
            "the directory is \"" + directory + "\"; allowed: an absolute path");
      }
      return path;
    }

    /** With exceptions that a console knows that has only the classes of the JDK. */
    private static void run(Runnable operation) {
      try {
        operation.run();
      } catch (SifrException e) {
        IllegalStateException told = new IllegalStateException(e.getMessage());
        told.setStackTrace(e.getStackTrace());
        throw told;
      }
    }
  }
}
