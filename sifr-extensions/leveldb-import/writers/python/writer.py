"""writer.py write DIRECTORY OPERATIONS, writer.py read DIRECTORY FILE"""
import sys

import plyvel

mode, directory, path = sys.argv[1:4]
if mode == "read":
    db = plyvel.DB(directory)
    with open(path, "w") as out:
        for key, value in db:
            out.write(key.hex() + " " + value.hex() + "\n")
    db.close()
    sys.exit()

db = plyvel.DB(directory, create_if_missing=True, write_buffer_size=1 << 20, bloom_filter_bits=10)


def apply(target, line):
    kind, *fields = line.rstrip("\n").split(" ")
    if kind == "P":
        target.put(bytes.fromhex(fields[0]), bytes.fromhex(fields[1]))
    else:
        target.delete(bytes.fromhex(fields[0]))


done = 0
with open(path) as lines:
    for line in lines:
        if line.startswith("B "):
            with db.write_batch() as batch:
                for _ in range(int(line[2:])):
                    apply(batch, next(lines))
        else:
            apply(db, line)
        done += 1
        if done % 200 == 0:
            print(done, flush=True)
db.close()
print("closed", flush=True)
