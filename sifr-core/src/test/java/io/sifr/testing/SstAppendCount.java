package io.sifr.testing;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes that are written to SSTs. Thread-safe. */
public final class SstAppendCount extends ForwardingFileSystem {
  private final AtomicLong bytes = new AtomicLong();

  public SstAppendCount(StoreFileSystem delegate) {
    super(delegate);
  }

  /** Bytes written so far, those of files included that were deleted. */
  public long bytes() {
    return bytes.get();
  }

  @Override
  public AppendFile create(Path file) {
    return counted(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    return counted(file, super.createDirect(file));
  }

  private AppendFile counted(Path file, AppendFile created) {
    if (FileKind.SST.numberOf(String.valueOf(file.getFileName())).isEmpty()) {
      return created;
    }
    return new ForwardingAppendFile(created) {
      @Override
      public void append(ByteBuffer source) {
        bytes.addAndGet(source.remaining());
        super.append(source);
      }

      @Override
      public void append(byte[] source, int offset, int length) {
        bytes.addAndGet(length);
        super.append(source, offset, length);
      }
    };
  }
}
