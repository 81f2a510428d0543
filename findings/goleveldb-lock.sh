#!/bin/bash
# goleveldb and LevelDB's own C++ code, here in plyvel, have the same database open at the same time.
#
# Guess: both lock the file LOCK in the directory, as LevelDB does, so whoever comes second gets an error.
# So it is: goleveldb locks it by flock (FLOCK in /proc), C++ by fcntl (POSIX there), and on Linux the one does not see the
# other. Each keeps out a second one of its own kind. And plyvel's opening is a write already: CURRENT names a new manifest.
# Who relies on LOCK to find out whether a database is in use, before copying it for instance, has to look for both.
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
	out, _ := exec.Command("../venv/bin/python", "../open.py", "plyvel").CombinedOutput()
	fmt.Print(string(out))
}
END
cat >open.py <<'END'
import os, plyvel, subprocess, sys
who = sys.argv[1]
def current():
    return open('../db/CURRENT').read()
def locks(process):
    for fd in os.listdir('/proc/%d/fd' % process):
        if os.path.realpath('/proc/%d/fd/%s' % (process, fd)).endswith('/db/LOCK'):
            for line in open('/proc/%d/fdinfo/%s' % (process, fd)):
                if line.startswith('lock:'):
                    yield line.split()[2]
before = current()
try:
    db = plyvel.DB('../db')
except plyvel.IOError:
    print(who + ': refused')
    sys.exit()
print(who + ': key is', db.get(b'key').decode())
print('CURRENT:', 'as before' if current() == before else 'changed')
print('locks of goleveldb:', *locks(os.getppid()))
print('locks of plyvel:', *locks(os.getpid()), flush=True)
if who == 'plyvel':
    subprocess.run([sys.executable, __file__, 'a second plyvel'])
END
cd go
export GOMODCACHE="$work/modules" GOFLAGS=-modcacherw
go mod init finding 2>/dev/null
go get github.com/syndtr/goleveldb@v1.0.1-0.20220721030215-126854af5e6d 2>/dev/null
go mod tidy 2>/dev/null
echo "packages: $(go list -m github.com/syndtr/goleveldb); $(go version)"
seen="a second goleveldb: resource temporarily unavailable
plyvel: key is value
CURRENT: changed
locks of goleveldb: FLOCK
locks of plyvel: POSIX
a second plyvel: refused"
same "while goleveldb has it open" "$seen" "$(go run .)"
