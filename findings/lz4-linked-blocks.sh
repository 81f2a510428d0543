#!/bin/bash
# LZ4: what Python's lz4.frame writes by default is not read by lz4-java's LZ4FrameInputStream, once it is longer than a
# block.
#
# Guess: both write and read the standard's frames, so what one writes the other reads.
# So it is: lz4.frame links blocks by default, each to the data before it, and lz4-java reads only frames of independent
# blocks; the message speaks of the frame descriptor. What fits into one block, 64 KiB, is written as independent, so a small
# test passes. commons-compress reads all of them.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python lz4==4.4.5
jars at.yawk.lz4:lz4-java:1.14.0 org.apache.commons:commons-compress:1.28.0
cat >write.py <<'END'
import lz4.frame
text = b''.join(b'line %d\n' % i for i in range(40000))
open('text', 'wb').write(text)
open('default.lz4', 'wb').write(lz4.frame.compress(text))
open('block.lz4', 'wb').write(lz4.frame.compress(bytes(65536)))
open('longer.lz4', 'wb').write(lz4.frame.compress(bytes(65537)))
open('independent.lz4', 'wb').write(lz4.frame.compress(text, block_linked=False))
END
venv/bin/python write.py
cat >Read.java <<'END'
import java.io.*;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;

public class Read {
  private interface Reader {
    InputStream of(InputStream in) throws IOException;
  }

  private static String read(String file, Reader reader) {
    try (InputStream in = reader.of(new BufferedInputStream(new FileInputStream(file)))) {
      return in.readAllBytes().length + " bytes";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  public static void main(String[] args) {
    System.out.println("lz4-java: " + read(args[0], LZ4FrameInputStream::new)
        + "; commons-compress: " + read(args[0], FramedLZ4CompressorInputStream::new));
  }
}
END
seen="lz4-java: Invalid or unsupported frame descriptor; commons-compress: 428890 bytes"
same "by default" "$seen" "$(run_java Read.java default.lz4)"
same "independent" "lz4-java: 428890 bytes; commons-compress: 428890 bytes" "$(run_java Read.java independent.lz4)"
same "64 KiB" "lz4-java: 65536 bytes; commons-compress: 65536 bytes" "$(run_java Read.java block.lz4)"
seen="lz4-java: Invalid or unsupported frame descriptor; commons-compress: 65537 bytes"
same "a byte more" "$seen" "$(run_java Read.java longer.lz4)"
