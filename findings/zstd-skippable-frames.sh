#!/bin/bash
# Zstandard: aircompressor 2.0.3 does not read what pzstd writes.
#
# Guess: pzstd's files are Zstandard's, "zstd -d" reads them, so aircompressor does.
# So it is: pzstd puts a skippable frame of 12 bytes before the data. The format says that a decoder passes over these;
# aircompressor says that their magic number is invalid, reading a stream or an array. zstd-jni reads both. What "zstd -T2"
# writes has no such frame, and is read.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
debian zstd=1.5.4+dfsg2-5
jars io.airlift:aircompressor:2.0.3 com.github.luben:zstd-jni:1.5.7-6
seq 1 100000 >text
zstd -q text -o zstd.zst
zstd -q -T2 text -o threads.zst
pzstd -q -p 2 text -o pzstd.zst
cat >Read.java <<'END'
import java.io.*;
import java.nio.file.*;
import java.util.HexFormat;

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

  private static String decompress(byte[] in) {
    byte[] out = new byte[1 << 20];
    try {
      return new io.airlift.compress.zstd.ZstdDecompressor().decompress(in, 0, in.length, out, 0, out.length) + " bytes";
    } catch (Exception e) {
      return e.getMessage();
    }
  }

  public static void main(String[] args) throws IOException {
    byte[] all = Files.readAllBytes(Path.of(args[0]));
    System.out.println("begins with " + HexFormat.of().formatHex(all, 0, 4)
        + ", a frame of data at byte " + HexFormat.of().formatHex(all, 0, 16).indexOf("28b52ffd") / 2
        + "\naircompressor: " + read(args[0], io.airlift.compress.zstd.ZstdInputStream::new)
        + "\naircompressor, array: " + decompress(all)
        + "\nzstd-jni: " + read(args[0], com.github.luben.zstd.ZstdInputStream::new));
  }
}
END
seen="begins with 28b52ffd, a frame of data at byte 0
aircompressor: 588895 bytes
aircompressor, array: 588895 bytes
zstd-jni: 588895 bytes"
same "of zstd" "$seen" "$(run_java Read.java zstd.zst 2>/dev/null)"
same "of zstd -T2" "$seen" "$(run_java Read.java threads.zst 2>/dev/null)"
seen="begins with 502a4d18, a frame of data at byte 12
aircompressor: Invalid magic prefix: 184d2a50: offset=16
aircompressor, array: Invalid magic prefix: 184d2a50: offset=16
zstd-jni: 588895 bytes"
same "of pzstd" "$seen" "$(run_java Read.java pzstd.zst 2>/dev/null)"
