#!/bin/bash
# RocksDB opens a database that LevelDB wrote, and makes it one that LevelDB no longer opens; since version 11 it refuses.
#
# Guess: RocksDB refuses LevelDB's files, as the formats of tables and manifests have gone apart.
# So it is: RocksDB 6.29.5 and 10.4.2 open plyvel's database for writing, without any option, and find all entries; after
# that plyvel refuses it, for an unknown tag in the manifest. RocksDB 11.1.2 does refuse it, naming the table's old magic
# number, and leaves the database as it was, but for the text file LOG.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python plyvel==1.5.1
cat >write.py <<'END'
import plyvel
db = plyvel.DB('db', create_if_missing=True)
for i in range(1000):
    db.put(b'key%04d' % i, b'value%d' % i)
db.compact_range()
db.delete(b'key0007')
db.put(b'last', b'in the log')
db.close()
END
cat >again.py <<'END'
import plyvel
try:
    print(len(list(plyvel.DB('copy'))), 'entries')
except plyvel.Error as e:
    print(e)
END
cat >Read.java <<'END'
import java.util.Arrays;
import org.rocksdb.*;

public class Read {
  public static void main(String[] args) {
    RocksDB.loadLibrary();
    try (Options options = new Options(); RocksDB db = RocksDB.open(options, args[0])) {
      int entries = 0;
      try (RocksIterator each = db.newIterator()) {
        for (each.seekToFirst(); each.isValid(); each.next()) {
          entries++;
        }
        each.status();
      }
      System.out.println(entries + " entries, last: " + new String(db.get("last".getBytes()))
          + ", deleted: " + Arrays.toString(db.get("key0007".getBytes())));
    } catch (RocksDBException e) {
      System.out.println(e.getMessage().replaceAll(" in /?[^ ]*copy.*", ""));
    }
  }
}
END
venv/bin/python write.py
for version in 6.29.5:linux64 10.4.2:linux64 11.1.2; do
  jars org.rocksdb:rocksdbjni:$version
  rm -rf copy
  cp -r db copy
  seen="1000 entries, last: in the log, deleted: null"
  after="b'Corruption: VersionEdit: unknown tag'"
  if [ $version = 11.1.2 ]; then
    seen="Unsupported legacy magic number for block-based SST format."
    seen+=" Load with RocksDB >= 4.6.0 and < 11.0.0 and run full compaction to upgrade."
    after="1000 entries"
  fi
  same "RocksDB $version opens it" "$seen" "$(run_java Read.java copy)"
  files=$(diff -rq -x 'LOG*' db copy >/dev/null && echo "as before" || echo changed)
  same "its files" "$([ $version = 11.1.2 ] && echo "as before" || echo changed)" "$files"
  same "plyvel opens it afterwards" "$after" "$(venv/bin/python again.py)"
done
