#!/bin/bash
# Btrfs: holes punched into a file are gone from du, and no byte of space comes back.
#
# Guess: of a file of 64 MiB all but 4 KiB of each MiB is punched out, so nearly 64 MiB are free again on each file system.
# So it is: on ext4 and XFS, yes. On Btrfs du says 256 KiB, and the free space stays as it was: the data is one extent (of at
# most 128 MiB), and an extent is kept whole while any block of it is in use. Deleting the file gives all back at once. A
# program that frees what it has consumed of a file by holes needs as much space there as one that frees nothing. For root.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
debian xfsprogs=6.1.0-1 libinih1=55-1 liburcu8=0.13.2-1 btrfs-progs=6.2-1+deb12u2

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
  rm disk/file
  deleted=$(settled)
  seen="64 MiB written, du small, most given back by holes, all by deleting"
  [ $type != btrfs ] || seen="64 MiB written, du small, nothing given back by holes, all by deleting"
  now="$((empty - full)) MiB written, du $([ "$size" -lt 1024 ] && echo small || echo large)"
  back=$((punched - full))
  now+=", $([ $back -gt 60 ] && echo most || { [ $back -le 1 ] && echo nothing || echo $back MiB; }) given back by holes"
  now+=", $([ $((deleted - full)) -ge 63 ] && echo all || echo $((deleted - full)) MiB) by deleting"
  echo "$type: $size KiB by du, $back MiB given back"
  same $type "$seen" "$now"
  umount disk
done
