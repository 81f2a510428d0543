#!/bin/bash
# A database of rocksdict, the RocksDB of Python, is refused by RocksDB elsewhere, unless it was made in raw mode.
#
# Guess: rocksdict keeps strings as their UTF-8 bytes, so any RocksDB of about its version reads its database.
# So it is: by default rocksdict has a comparator of its own, by the name "rocksdict", and the same version of RocksDB refuses
# the database for that name. A comparator made up in Java under that name gets at these three keys, and they are not the
# strings' bytes alone: before them, as before the values, is one more, 01 for bytes, 02 for a string and 03 for a number. With
# raw_mode=True, which takes only bytes, the database is read like any other.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python rocksdict==0.3.29
jars org.rocksdb:rocksdbjni:9.8.4:linux64
cat >write.py <<'END'
from rocksdict import Options, Rdict
db = Rdict('default')
db['a'] = 'x'
db[b'a'] = b'x'
db[7] = 8
db.close()
db = Rdict('raw', Options(raw_mode=True))
db[b'a'] = b'x'
db.close()
END
cat >Read.java <<'END'
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.rocksdb.*;

public class Read {
  public static void main(String[] args) {
    RocksDB.loadLibrary();
    try (Options options = new Options(); AbstractComparator named = named()) {
      if (args[1].equals("named")) {
        options.setComparator(named);
      }
      try (RocksDB db = RocksDB.openReadOnly(options, args[0]); RocksIterator each = db.newIterator()) {
        for (each.seekToFirst(); each.isValid(); each.next()) {
          System.out.print(HexFormat.of().formatHex(each.key()) + "=" + HexFormat.of().formatHex(each.value()) + " ");
        }
        each.status();
      }
    } catch (RocksDBException e) {
      System.out.print(e.getMessage());
    }
  }

  private static AbstractComparator named() {
    return new AbstractComparator(new ComparatorOptions()) {
      @Override
      public String name() {
        return "rocksdict";
      }

      @Override
      public int compare(ByteBuffer a, ByteBuffer b) {
        return a.compareTo(b);
      }
    };
  }
}
END
venv/bin/python write.py
same "RocksDB in rocksdict" "rocksdb_version=9.8.4" "$(grep -ho 'rocksdb_version=.*' default/OPTIONS-*)"
seen="leveldb.BytewiseComparator: does not match existing comparator rocksdict"
same "made by default" "$seen" "$(run_java Read.java default usual)"
same "made by default, comparator rocksdict" "0161=0178 0261=0278 0307=0308 " "$(run_java Read.java default named)"
same "made in raw mode" "61=78 " "$(run_java Read.java raw usual)"
