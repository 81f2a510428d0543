#!/bin/bash
# RoaringBitmap: what one of its bitmaps of 64-bit numbers writes, the other one, or the same one by its other method, reads as empty.
#
# Guess: Roaring64NavigableMap and Roaring64Bitmap, of one library, read what the other has serialized, or refuse it; and so do the
# two forms of Roaring64NavigableMap, serialize and serializePortable.
# So it is: nothing fails. The default form of the map is an empty Roaring64Bitmap, and its portable form, which CRoaring reads, an
# empty map when deserialize reads it. Only what Roaring64Bitmap has written is refused by the map, and by CRoaring.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.roaringbitmap:RoaringBitmap:1.6.29
python pyroaring==1.2.0
cat >Forms.java <<'END_OF_JAVA'
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

public class Forms {
  interface Write {
    void to(DataOutputStream out) throws IOException;
  }

  interface Read {
    String from(DataInputStream in) throws IOException;
  }

  static byte[] form(String name, Write write) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write.to(out);
    }
    Files.write(Path.of(name), bytes.toByteArray());
    return bytes.toByteArray();
  }

  static void tell(String what, byte[] form, Read read) {
    String seen;
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(form))) {
      seen = read.from(in);
    } catch (IOException | RuntimeException e) {
      seen = "refused";
    }
    System.out.println("SEEN " + what + ": " + seen);
  }

  static String map(DataInputStream in) throws IOException {
    Roaring64NavigableMap map = new Roaring64NavigableMap();
    map.deserialize(in);
    return map.toString();
  }

  static String bitmap(DataInputStream in) throws IOException {
    Roaring64Bitmap bitmap = new Roaring64Bitmap();
    bitmap.deserialize(in);
    return bitmap.toString();
  }

  public static void main(String[] args) throws IOException {
    Roaring64NavigableMap map = new Roaring64NavigableMap();
    Roaring64Bitmap bitmap = new Roaring64Bitmap();
    for (long number : new long[] {1, 2, 5_000_000_000L}) {
      map.addLong(number);
      bitmap.addLong(number);
    }
    byte[] ofMap = form("map", map::serialize);
    byte[] portable = form("portable", map::serializePortable);
    byte[] ofBitmap = form("bitmap", bitmap::serialize);
    tell("map by map", ofMap, Forms::map);
    tell("map by bitmap", ofMap, Forms::bitmap);
    tell("portable by map", portable, Forms::map);
    tell("bitmap by bitmap", ofBitmap, Forms::bitmap);
    tell("bitmap by map", ofBitmap, Forms::map);
  }
}
END_OF_JAVA
cat >read.py <<'END_OF_PYTHON'
import pyroaring

for form in ("map", "portable", "bitmap"):
    with open(form, "rb") as file:
        try:
            seen = list(pyroaring.BitMap64.deserialize(file.read()))
        except ValueError:
            seen = "refused"
    print(form, "by CRoaring:", seen)
END_OF_PYTHON
seen=$(run_java Forms.java | grep '^SEEN' | sed 's/^SEEN //'; venv/bin/python read.py)
same "written and read" "map by map: {1,2,5000000000}
map by bitmap: {}
portable by map: {}
bitmap by bitmap: {1,2,5000000000}
bitmap by map: refused
map by CRoaring: refused
portable by CRoaring: [1, 2, 5000000000]
bitmap by CRoaring: refused" "$seen"
