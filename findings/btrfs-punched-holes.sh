#!/bin/bash
# Btrfs: holes punched into a file are gone from du, and the free space does not grow.
#
# Guess: of a file of 64 MiB all but 4 KiB of each MiB is punched out, so nearly 64 MiB are free again on each file system.
# So it is: on ext4 and XFS, yes. On Btrfs du says 256 KiB, and the free space stays as it was: an extent is kept whole while
# any block of it is in use. Once the 4 KiB that were left of each MiB are punched out, too, all is given back. A program that
# frees by holes what it has consumed of a file gets nothing back there before it has consumed a whole extent. For root.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
debian e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 libss2=1.47.0-2+b2 libcom-err2=1.47.0-2+b2 \
  xfsprogs=6.1.0-1 libinih1=55-1 liburcu8=0.13.2-1 btrfs-progs=6.2-1+deb12u2

# The free space after the file system has done what it does later.
settled() {
  local i
  for i in 1 2 3; do
    sync -f disk
    sleep 1
  done
  free_mib
}

for type in ext4 xfs btrfs; do
  volume $type
  empty=$(settled)
  dd if=/dev/urandom of=disk/file bs=64M count=1 conv=fsync status=none
  full=$(settled)
  for i in $(seq 0 63); do
    fallocate --punch-hole --offset $((i * 1048576 + 4096)) --length $((1048576 - 4096)) disk/file
  done
  punched=$(settled)
  size=$(du -k disk/file | cut -f1)
  for i in $(seq 0 63); do
    fallocate --punch-hole --offset $((i * 1048576)) --length 4096 disk/file
  done
  emptied=$(($(settled) - full))
  written=$((empty - full))
  seen="all written, du small, most given back by holes, all by the last holes"
  [ $type != btrfs ] || seen="all written, du small, nothing given back by holes, all by the last holes"
  now="$([ $written -ge 63 ] && [ $written -le 65 ] && echo all || echo $written MiB) written"
  now+=", du $([ "$size" -lt 1024 ] && echo small || echo large)"
  back=$((punched - full))
  now+=", $([ $back -gt 60 ] && echo most || { [ $back -le 1 ] && echo nothing || echo $back MiB; }) given back by holes"
  now+=", $([ $emptied -ge 63 ] && echo all || echo $emptied MiB) by the last holes"
  echo "$type: $written MiB written; after the holes $size KiB by du, $back MiB given back; after the last holes $emptied"
  same $type "$seen" "$now"
  umount disk
done
