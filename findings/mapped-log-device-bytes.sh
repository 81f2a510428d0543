#!/bin/bash
# A mapped log: 4 KiB stored and synced write 4 KiB to the device, or 2 MiB, by how the file was filled with zeroes before.
#
# Guess: 4 KiB of data and about as much for the journal or the tree: 3 times the data on ext4, 2 on XFS, 5 on Btrfs; twice
# as much if the space comes from fallocate or is a hole, since blocks are then marked as written one by one.
# So it is, with Linux 6.18: a file that was filled by writes of 4 KiB costs 1.0 on ext4 and XFS, no journal. Filled by one
# write of 8 MiB it costs some 260 on ext4 and 512 on XFS: the page cache then holds it in pieces of up to 2 MiB, and a store
# through the mapping makes the whole piece dirty: by writes of 64 KiB it costs 16, and if the cache forgets the file before
# it is mapped, 2. If it is read from its start to its end after that, it costs some 40, however it was filled: what is read
# ahead are such pieces, too. fallocate and holes cost 1.2 to 6 there, by when the journal is written. Btrfs costs some 35,
# however the file was made. For root; the numbers are those of the loop device. They need a kernel whose ext4 has large folios
# (6.16 and newer).
. "$(dirname "$(readlink -f "$0")")/lib.sh"
debian e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 libss2=1.47.0-2+b2 libcom-err2=1.47.0-2+b2 \
  xfsprogs=6.1.0-1 libinih1=55-1 liburcu8=0.13.2-1 btrfs-progs=6.2-1+deb12u2
cat >store.py <<'END'
import mmap, os, sys
path, how, device = sys.argv[1:]
size, steps, page = 8 << 20, 1000, 4096
fd = os.open(path, os.O_RDWR | os.O_CREAT)
if how.startswith('filled'):
    step = {'filled-by-4k': page, 'filled-read-again': page, 'filled-by-64k': 64 << 10}.get(how, size)
    for at in range(0, size, step):
        os.pwrite(fd, bytes(step), at)
elif how == 'fallocate':
    os.posix_fallocate(fd, 0, size)
else:
    os.ftruncate(fd, size)
os.fsync(fd)
os.sync()
if how in ('filled-dropped', 'filled-read-again'):
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
if how == 'filled-read-again':
    for at in range(0, size, 64 << 10):
        os.pread(fd, 64 << 10, at)
def written():
    with open('/sys/block/%s/stat' % os.path.basename(device)) as stat:
        return int(stat.read().split()[6]) * 512
with mmap.mmap(fd, size) as mapped:
    before = written()
    for i in range(steps):
        mapped[i * page:(i + 1) * page] = b'x' * page
        mapped.flush(i * page, page)
    print(round((written() - before) / (steps * page), 1))
END

# between WHAT LOWEST HIGHEST NUMBER
between() {
  same "$1: $4 times the data" "$2 to $3" "$(awk "BEGIN { print ($4 >= $2 && $4 <= $3) ? \"$2 to $3\" : \"$4\" }")"
}

for type in ext4 xfs btrfs; do
  volume $type
  for how in filled-by-4k filled-by-64k filled-at-once filled-dropped filled-read-again fallocate hole; do
    times=$(python3 store.py disk/$how $how $device)
    case $type-$how in
      btrfs-*) between $type-$how 20 60 $times ;;
      *-filled-by-4k) between $type-$how 1 1.3 $times ;;
      *-filled-by-64k) between $type-$how 15 18 $times ;;
      *-filled-dropped) between $type-$how 1 4 $times ;;
      *-filled-read-again) between $type-$how 16 600 $times ;;
      *-filled-at-once) between $type-$how 100 600 $times ;;
      *) between $type-$how 1 8 $times ;;
    esac
  done
  umount disk
done
