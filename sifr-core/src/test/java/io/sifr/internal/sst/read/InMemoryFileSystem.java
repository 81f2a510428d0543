package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keeps the files of SSTs in arrays, which a test can damage. Counts open mappings. */
public final class InMemoryFileSystem extends ForwardingFileSystem {
  private final Map<Path, byte[]> files = new TreeMap<>();
  private int openMappings;
  private int opened;
  private int syncs;

  public byte[] content(Path file) {
    return required(file).clone();
  }

  public void put(Path file, byte[] content) {
    files.put(file, content);
  }

  /** Changes bytes of a file, as its mappings see at once. */
  public void overwrite(Path file, int at, byte[] bytes) {
    System.arraycopy(bytes, 0, required(file), at, bytes.length);
  }

  /** How often a file was mapped or opened to be read. */
  public int opened() {
    return opened;
  }

  public int openMappings() {
    return openMappings;
  }

  /** Calls of {@link AppendFile#sync}. */
  public int syncs() {
    return syncs;
  }

  public InMemoryFileSystem() {
    super(new DiskFileSystem());
  }

  private byte[] required(Path file) {
    byte @Nullable [] content = files.get(file);
    if (content == null) {
      throw new StoreIoException(file, "open", new NoSuchFileException(file.toString()));
    }
    return content;
  }

  @Override
  public boolean exists(Path file) {
    return files.containsKey(file);
  }

  @Override
  public long size(Path file) {
    return required(file).length;
  }

  @Override
  public AppendFile createDirect(Path file) {
    return create(file);
  }

  @Override
  public AppendFile create(Path file) {
    if (files.putIfAbsent(file, new byte[0]) != null) {
      throw new AssertionError(file + " exists");
    }
    return new Appending(file);
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    RandomReadFile opened = openForRead(file);
    return new RandomReadFile() {
      @Override
      public long size() {
        return opened.size();
      }

      @Override
      public void readFully(ByteBuffer target, long position) {
        checkAligned("position", position % DIRECT_ALIGNMENT);
        checkAligned("length", target.remaining() % DIRECT_ALIGNMENT);
        checkAligned("address", target.alignmentOffset(target.position(), DIRECT_ALIGNMENT));
        opened.readFully(target, position);
      }

      private void checkAligned(String what, long offset) {
        if (offset != 0) {
          throw new AssertionError(what + " of a direct read is not aligned");
        }
      }

      @Override
      public void close() {
        opened.close();
      }
    };
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    opened++;
    byte[] content = required(file);
    return new RandomReadFile() {
      @Override
      public long size() {
        return content.length;
      }

      @Override
      public void readFully(ByteBuffer target, long position) {
        if (position + target.remaining() > content.length) {
          throw new CorruptionException(file, position, "the file is too short");
        }
        target.put(content, (int) position, target.remaining());
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    byte[] content = required(file);
    StoreFileSystem.requireSize(file, size, content.length);
    openMappings++;
    opened++;
    return new Mapping(ByteBuffer.wrap(content, 0, (int) size).slice().asReadOnlyBuffer());
  }

  @Override
  public void delete(Path file) {
    files.remove(file);
  }

  private final class Appending implements AppendFile {
    private final Path file;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Appending(Path file) {
      this.file = file;
    }

    @Override
    public void append(ByteBuffer source) {
      byte[] copy = new byte[source.remaining()];
      source.get(copy);
      append(copy, 0, copy.length);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      bytes.write(source, offset, length);
    }

    @Override
    public long position() {
      return bytes.size();
    }

    @Override
    public void sync() {
      syncs++;
      files.put(file, bytes.toByteArray());
    }

    @Override
    public void close() {}
  }

  private final class Mapping implements MappedRegion {
    private final ByteBuffer buffer;
    private boolean closed;

    Mapping(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public ByteBuffer buffer() {
      return buffer;
    }

    @Override
    public void force(int from, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        openMappings--;
      }
    }
  }
}
