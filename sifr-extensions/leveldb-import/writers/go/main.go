// writers write DIRECTORY OPERATIONS, writers read DIRECTORY FILE
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bytes(digits string) []byte {
	b, err := hex.DecodeString(digits)
	check(err)
	return b
}

func add(batch *leveldb.Batch, line string) {
	fields := strings.Split(line, " ")
	if fields[0] == "P" {
		batch.Put(bytes(fields[1]), bytes(fields[2]))
	} else {
		batch.Delete(bytes(fields[1]))
	}
}

func main() {
	db, err := leveldb.OpenFile(os.Args[2], &opt.Options{WriteBuffer: 1 << 20})
	check(err)
	if os.Args[1] == "read" {
		file, err := os.Create(os.Args[3])
		check(err)
		out := bufio.NewWriter(file)
		entries := db.NewIterator(nil, nil)
		for entries.Next() {
			fmt.Fprintf(out, "%x %x\n", entries.Key(), entries.Value())
		}
		entries.Release()
		check(entries.Error())
		check(out.Flush())
		check(file.Close())
		check(db.Close())
		return
	}
	file, err := os.Open(os.Args[3])
	check(err)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	done := 0
	for lines.Scan() {
		batch := new(leveldb.Batch)
		if line := lines.Text(); strings.HasPrefix(line, "B ") {
			count, err := strconv.Atoi(line[2:])
			check(err)
			for ; count > 0 && lines.Scan(); count-- {
				add(batch, lines.Text())
			}
		} else {
			add(batch, line)
		}
		check(db.Write(batch, nil))
		if done++; done%200 == 0 {
			fmt.Println(done)
		}
	}
	check(lines.Err())
	check(db.Close())
	fmt.Println("closed")
}
