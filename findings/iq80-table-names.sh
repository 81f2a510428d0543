#!/bin/bash
# LevelDB in Java: iq80's leveldb 0.12 opens a database of today's LevelDB that has a table, and then reads nothing from it.
#
# Guess: the format is the same, so it opens what plyvel 1.5.1 writes.
# So it is: LevelDB calls its tables NNNNNN.ldb now. iq80 only looks for NNNNNN.sst, the old name. It opens the database with
# no error and takes a write; only reading a key of the table is an error, whose cause names the file that is not there. A new
# database that is only a log yet is read, so a small test passes; and once the table is renamed, its key is found.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python plyvel==1.5.1
jars org.iq80.leveldb:leveldb:0.12
cat >write.py <<'END'
import plyvel
db = plyvel.DB('db', create_if_missing=True)
db.put(b'key', b'value')
db.close()
db = plyvel.DB('log-only', create_if_missing=True)
db.put(b'key', b'value')
db.close()
db = plyvel.DB('db')
db.compact_range()
db.close()
END
venv/bin/python write.py
cat >Read.java <<'END'
import java.io.File;
import org.iq80.leveldb.*;
import org.iq80.leveldb.impl.Iq80DBFactory;
public class Read {
  public static void main(String[] args) throws Exception {
    try (DB db = new Iq80DBFactory().open(new File(args[0]), new Options().createIfMissing(false))) {
      System.out.print("opened, ");
      db.put("new".getBytes(), "new".getBytes());
      System.out.print("written, ");
      try {
        System.out.println("key=" + new String(db.get("key".getBytes())));
      } catch (RuntimeException e) {
        System.out.println(e.getMessage() + ", " + e.getCause().getMessage());
      }
    }
  }
}
END
cp -r db renamed
for each in renamed/*.ldb; do
  mv "$each" "${each%.ldb}.sst"
done
same "a log alone" "opened, written, key=value" "$(run_java Read.java log-only 2>/dev/null)"
seen="opened, written, Could not open table 5, db/000005.sst (No such file or directory)"
same "with a table" "$seen" "$(run_java Read.java db 2>/dev/null)"
same "with the table renamed" "opened, written, key=value" "$(run_java Read.java renamed 2>/dev/null)"
