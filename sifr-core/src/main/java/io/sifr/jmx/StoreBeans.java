package io.sifr.jmx;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.Store;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Makes open stores visible to JMX, for JConsole or an agent: each as a {@link StoreMXBean} named
 * {@code io.sifr:type=Store,directory="…"}, with its real path. Nothing is registered unless it is
 * requested, since whoever may connect to JMX may then compact the store, pause its compactions, or
 * have copies of it written wherever the process may write.
 *
 * <p>Thread-safe.
 */
public final class StoreBeans {
  private StoreBeans() {}

  /**
   * Registers a store with the server of the platform until it is closed.
   *
   * @return its name
   * @throws IllegalStateException when it is registered already, or closed
   */
  @CanIgnoreReturnValue
  public static ObjectName register(Store store) {
    return register(store, ManagementFactory.getPlatformMBeanServer());
  }

  /**
   * Registers a store with a server until it is closed.
   *
   * @return its name
   * @throws IllegalStateException when it is registered already, or closed
   */
  @CanIgnoreReturnValue
  public static ObjectName register(Store store, MBeanServer server) {
    ObjectName name = name(store);
    try {
      server.registerMBean(new StoreBean(store), name);
    } catch (InstanceAlreadyExistsException e) {
      throw new IllegalStateException(name + " is registered already", e);
    } catch (JMException e) {
      throw new IllegalStateException("cannot register " + name, e);
    }
    try {
      store.whenClosing(() -> unregister(server, name));
    } catch (IllegalStateException e) {
      unregister(server, name);
      throw e;
    }
    return name;
  }

  private static ObjectName name(Store store) {
    String directory = ObjectName.quote(store.directory().toString());
    try {
      return new ObjectName("io.sifr:type=Store,directory=" + directory);
    } catch (JMException e) {
      throw new IllegalStateException("no name for the bean of " + store, e);
    }
  }

  private static void unregister(MBeanServer server, ObjectName name) {
    try {
      server.unregisterMBean(name);
    } catch (InstanceNotFoundException e) {
      // Somebody has removed it.
    } catch (JMException e) {
      throw new IllegalStateException("cannot remove " + name, e);
    }
  }
}
