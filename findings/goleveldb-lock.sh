#!/bin/bash
# goleveldb and LevelDB's own C++ code, here in plyvel, have the same database open at the same time.
#
# Guess: both lock the file LOCK in the directory, as LevelDB does, so whoever comes second gets an error.
# So it is: goleveldb locks it by flock, C++ by fcntl, and on Linux the one does not see the other. Each keeps out a second
# one of its own kind. Opening is a write already, of a new manifest and log: who relies on LOCK to find out whether a
# database is in use, before copying it for instance, has to look for both.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
python plyvel==1.5.1
mkdir go
cat >go/main.go <<'END'
package main

import (
	"fmt"
	"os/exec"

	"github.com/syndtr/goleveldb/leveldb"
)

func main() {
	db, err := leveldb.OpenFile("../db", nil)
	if err != nil {
		panic(err)
	}
	if err := db.Put([]byte("key"), []byte("value"), nil); err != nil {
		panic(err)
	}
	_, err = leveldb.OpenFile("../db", nil)
	fmt.Println("a second goleveldb:", err)
	out, _ := exec.Command("../venv/bin/python", "../open.py").CombinedOutput()
	fmt.Print(string(out))
}
END
cat >open.py <<'END'
import plyvel
try:
    db = plyvel.DB('../db')
    print('plyvel: key is', db.get(b'key').decode())
    try:
        plyvel.DB('../db')
    except plyvel.IOError:
        print('a second plyvel: refused')
except plyvel.IOError:
    print('plyvel: refused')
END
cd go
go mod init finding 2>/dev/null
go get github.com/syndtr/goleveldb@v1.0.1-0.20220721030215-126854af5e6d 2>/dev/null
go mod tidy 2>/dev/null
echo "packages: $(go list -m github.com/syndtr/goleveldb); $(go version)"
seen="a second goleveldb: resource temporarily unavailable
plyvel: key is value
a second plyvel: refused"
same "while goleveldb has it open" "$seen" "$(go run .)"
