package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Plain reads of pages at random offsets of some files, bypassing the page cache: what the device
 * can do without a store. Parallel reads are done by threads of this class. Each of them is
 * notified directly and spins for a moment before it sleeps, as the caller does, because waking a
 * thread takes half as long as a read. The first free thread takes the next page, so that no page
 * waits for a thread that waits for a processor. Java has no cheaper way to hand over a read. For
 * one caller.
 */
public final class DirectReads implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final long NANOS_AWAKE = 300_000;

  private record Page(FileChannel file, long offset) {}

  private final List<FileChannel> files = new ArrayList<>();
  private final List<Reader> readers = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final ByteBuffer page = page();

  /**
   * Opens the files of a directory with that ending.
   *
   * @param atOnce largest number of parallel reads
   * @throws UnsupportedOperationException when the file system has no direct reads
   */
  public DirectReads(Path directory, String ending, int atOnce) {
    OpenOption direct = direct();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path path : all.filter(file -> file.toString().endsWith(ending)).sorted().toList()) {
        if (Files.size(path) >= PAGE_BYTES) {
          files.add(FileChannel.open(path, StandardOpenOption.READ, direct));
        }
      }
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    }
    for (int i = 1; i < atOnce; i++) {
      Reader reader = new Reader();
      reader.start();
      readers.add(reader);
    }
  }

  /** Looked up by name: it belongs to the JDK and not to Java SE. */
  private static OpenOption direct() {
    try {
      Object[] options = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
      return Arrays.stream(options)
          .filter(option -> option.toString().equals("DIRECT"))
          .map(OpenOption.class::cast)
          .findFirst()
          .orElseThrow(() -> new UnsupportedOperationException("this JDK has no direct reads"));
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException("this JDK has no direct reads", e);
    }
  }

  private static ByteBuffer page() {
    return ByteBuffer.allocateDirect(2 * PAGE_BYTES).alignedSlice(PAGE_BYTES).slice(0, PAGE_BYTES);
  }

  /** Reads pages one after the other; returns the nanoseconds it took. */
  public long oneByOne(int count) {
    Page[] pages = draw(count);
    long start = System.nanoTime();
    for (Page next : pages) {
      read(next, page);
    }
    return System.nanoTime() - start;
  }

  /** Reads pages in parallel; returns the nanoseconds until the last one is read. */
  public long atOnce(int count) {
    if (count > readers.size() + 1) {
      throw new IllegalArgumentException(
          "count is " + count + "; allowed: 1 to " + (readers.size() + 1));
    }
    Order order = new Order(draw(count));
    long start = System.nanoTime();
    for (int i = 1; i < count; i++) {
      readers.get(i - 1).help(order);
    }
    order.readPages(page);
    await(order::isDone);
    return System.nanoTime() - start;
  }

  /** Spins for a moment, then sleeps. */
  @SuppressWarnings("ThreadPriorityCheck") // nothing depends on which thread gets the processor
  private static void await(BooleanSupplier hasCome) {
    long start = System.nanoTime();
    while (!hasCome.getAsBoolean()) {
      if (System.nanoTime() - start < NANOS_AWAKE) {
        Thread.yield();
      } else {
        LockSupport.park(hasCome);
      }
    }
  }

  private Page[] draw(int count) {
    Page[] pages = new Page[count];
    try {
      for (int i = 0; i < count; i++) {
        FileChannel file = files.get(random.nextInt(files.size()));
        pages[i] = new Page(file, random.nextLong(file.size() / PAGE_BYTES) * PAGE_BYTES);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return pages;
  }

  private static void read(Page from, ByteBuffer into) {
    try {
      into.clear();
      int read = from.file().read(into, from.offset());
      if (read != PAGE_BYTES) {
        throw new IOException("read " + read + " of " + PAGE_BYTES + " bytes");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    readers.forEach(Reader::end);
    for (FileChannel file : files) {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Pages to read in parallel. */
  private static final class Order {
    private final Page[] pages;
    private final Thread caller = Thread.currentThread();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    Order(Page[] pages) {
      this.pages = pages;
    }

    /** Reads pages while there are any that no thread has taken. */
    void readPages(ByteBuffer into) {
      for (int i = taken.getAndIncrement(); i < pages.length; i = taken.getAndIncrement()) {
        read(pages[i], into);
        if (done.incrementAndGet() == pages.length && Thread.currentThread() != caller) {
          LockSupport.unpark(caller);
        }
      }
    }

    boolean isDone() {
      return done.get() == pages.length;
    }
  }

  /** A thread that reads pages on request. */
  private static final class Reader extends Thread {
    /** Makes it end. */
    private static final Order NO_MORE = new Order(new Page[0]);

    private final ByteBuffer page = page();
    private final AtomicReference<@Nullable Order> order = new AtomicReference<>();

    Reader() {
      super("direct-reads");
      setDaemon(true);
    }

    void help(Order wanted) {
      order.set(wanted);
      LockSupport.unpark(this);
    }

    void end() {
      help(NO_MORE);
    }

    @Override
    public void run() {
      while (true) {
        await(() -> order.get() != null);
        Order next = Objects.requireNonNull(order.getAndSet(null));
        if (next == NO_MORE) {
          return;
        }
        next.readPages(page);
      }
    }
  }
}
