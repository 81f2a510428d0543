#!/bin/bash
# A database of rocksdict, the RocksDB of Python, is refused by RocksDB elsewhere, unless it was opened in raw mode.
#
# Guess: rocksdict keeps strings as their UTF-8 bytes, so any RocksDB of about its version reads its database.
# So it is: by default rocksdict has a comparator of its own, by the name "rocksdict", for keys that are strings, numbers or
# bytes. RocksDB asks for the name before anything else: neither keys nor values can be read. Only with raw_mode=True, where
# all keys are bytes, is the order the usual one. It has to be known when the database is made.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python rocksdict==0.3.29
jars org.rocksdb:rocksdbjni:10.4.2:linux64
cat >write.py <<'END'
from rocksdict import Options, Rdict
db = Rdict('default')
db['a'] = 'x'
db.close()
db = Rdict('raw', Options(raw_mode=True))
db[b'a'] = b'x'
db.close()
END
cat >Read.java <<'END'
import org.rocksdb.*;

public class Read {
  public static void main(String[] args) {
    RocksDB.loadLibrary();
    try (Options options = new Options(); RocksDB db = RocksDB.openReadOnly(options, args[0])) {
      System.out.println("a is " + new String(db.get("a".getBytes())));
    } catch (RocksDBException e) {
      System.out.println(e.getMessage());
    }
  }
}
END
venv/bin/python write.py
seen="leveldb.BytewiseComparator: does not match existing comparator rocksdict"
same "made by default" "$seen" "$(run_java Read.java default)"
same "made in raw mode" "a is x" "$(run_java Read.java raw)"
