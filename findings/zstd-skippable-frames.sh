#!/bin/bash
# Zstandard: aircompressor 2.0.3 does not read what pzstd writes.
#
# Guess: pzstd's files are Zstandard's, "zstd -d" reads them, so aircompressor does.
# So it is: pzstd puts a skippable frame of 12 bytes before each frame, to tell its length. The format says that a decoder
# passes over these; aircompressor takes their magic number for a damaged file. zstd-jni reads both. One file in a set that
# somebody compressed with more threads is enough.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
debian zstd=1.5.4+dfsg2-5
jars io.airlift:aircompressor:2.0.3 com.github.luben:zstd-jni:1.5.7-6
seq 1 100000 >text
zstd -q text -o zstd.zst
pzstd -q -p 2 text -o pzstd.zst
cat >Read.java <<'END'
import java.io.*;

public class Read {
  private interface Reader {
    InputStream of(InputStream in) throws IOException;
  }

  private static String read(String file, Reader reader) {
    try (InputStream in = reader.of(new FileInputStream(file))) {
      return in.readAllBytes().length + " bytes";
    } catch (Exception e) {
      return e.getMessage();
    }
  }

  public static void main(String[] args) {
    System.out.println("aircompressor: " + read(args[0], io.airlift.compress.zstd.ZstdInputStream::new)
        + "; zstd-jni: " + read(args[0], com.github.luben.zstd.ZstdInputStream::new));
  }
}
END
same "of zstd" "aircompressor: 588895 bytes; zstd-jni: 588895 bytes" "$(run_java Read.java zstd.zst 2>/dev/null)"
seen="aircompressor: Invalid magic prefix: 184d2a50: offset=16; zstd-jni: 588895 bytes"
same "of pzstd" "$seen" "$(run_java Read.java pzstd.zst 2>/dev/null)"
