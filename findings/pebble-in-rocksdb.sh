#!/bin/bash
# RocksDB refuses to create a database where a new one of Pebble lies, and Pebble no longer opens its own.
#
# Guess: with createIfMissing, RocksDB either refuses a directory that has files it does not know, and leaves them alone, or it
# makes a database beside them, which Pebble does not see: that one has no file CURRENT, but one named marker.manifest.
# So it is: RocksDB refuses, since there is a log. But before, it has written CURRENT and its first manifest, MANIFEST-000001. Pebble's
# manifest has that name as long as its database was opened only once; Pebble then finds RocksDB's in its place, and refuses as well.
# A database of Pebble that was opened again has another manifest, and stays as it was.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.rocksdb:rocksdbjni:11.8.1
mkdir go
cat >go/main.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"
)

type silent struct{}

func (silent) Infof(string, ...interface{})  {}
func (silent) Errorf(string, ...interface{}) {}
func (silent) Fatalf(format string, values ...interface{}) {
	fmt.Printf(format, values...)
	os.Exit(1)
}

// Each argument is a directory: opened, and written to if it is new; says how many entries it has.
func main() {
	for _, directory := range os.Args[1:] {
		db, err := pebble.Open(directory, &pebble.Options{Logger: silent{}})
		if err != nil {
			fmt.Println("refused,", err)
			continue
		}
		if _, found, err := db.Get([]byte("key")); err == pebble.ErrNotFound {
			if err := db.Set([]byte("key"), []byte("value"), pebble.Sync); err != nil {
				panic(err)
			}
			fmt.Println("new")
		} else {
			found.Close()
			fmt.Println("has its entry")
		}
		if err := db.Close(); err != nil {
			panic(err)
		}
	}
}
END
cat >Create.java <<'END'
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

public class Create {
  public static void main(String[] args) {
    RocksDB.loadLibrary();
    for (String directory : args) {
      try (Options options = new Options().setCreateIfMissing(true);
          RocksDB db = RocksDB.open(options, directory)) {
        System.out.println("opened");
      } catch (RocksDBException e) {
        System.out.println("refused, " + e.getMessage().replaceAll("[0-9]+", "N"));
      }
    }
  }
}
END
cd go
export GOMODCACHE="$work/modules" GOFLAGS=-modcacherw
go mod init pebble-and-rocksdb >go.log 2>&1
go get github.com/cockroachdb/pebble/v2@v2.1.7 >go.log 2>&1 || { cat go.log; exit 1; }
go build -o ../pebble . >go.log 2>&1 || { cat go.log; exit 1; }
cd ..
echo "packages: pebble v2.1.7; $(go version)"
seen=$(
  ./pebble once twice twice
  run_java Create.java once twice
  ./pebble once twice
)
same "Pebble, RocksDB, Pebble" "new
new
has its entry
refused, While creating a new Db, wal_dir contains existing log file: : N.log
refused, While creating a new Db, wal_dir contains existing log file: : N.log
refused, MANIFEST: unknown tag: 8193
has its entry" "$seen"
