# Read by the scripts: a temporary folder that goes away in the end, packages in it, and the comparison with what was seen.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# jars GROUP:ARTIFACT:VERSION[:CLASSIFIER]... puts these and what they need into lib/.
jars() {
  local each group artifact version classifier exclusions=""
  for each in ${EXCLUDED:-}; do
    exclusions+="<exclusion><groupId>${each%%:*}</groupId><artifactId>${each##*:}</artifactId></exclusion>"
  done
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>finding</groupId><artifactId>finding</artifactId>'
    echo '<version>1</version><dependencies>'
    for each in "$@"; do
      IFS=: read -r group artifact version classifier <<<"$each"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version>"
      [ -z "$classifier" ] || echo "<classifier>$classifier</classifier>"
      echo "<exclusions>$exclusions</exclusions></dependency>"
    done
    echo '</dependencies></project>'
  } >pom.xml
  rm -rf lib
  mvn -B -q -Dmaven.repo.local="$work/repository" -DoutputDirectory=lib \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies >mvn.log 2>&1 || { cat mvn.log; exit 1; }
  echo "packages: $*"
}

# python NAME==VERSION... puts a Python with these packages into venv/.
python() {
  python3 -m venv venv
  venv/bin/pip install -q --disable-pip-version-check "$@"
  echo "packages: $*; $(venv/bin/python --version)"
}

# run_java FILE [ARGUMENT...] runs a source file with lib/.
run_java() {
  java -cp 'lib/*' "$@"
}

# same WHAT SEEN NOW compares with what was seen when the script was written.
same() {
  echo "$1: $3"
  if [ "$2" != "$3" ]; then
    echo "CHANGED. When this was written: $2"
    exit 1
  fi
}

# debian NAME=VERSION... unpacks these into debian/, and finds their programs first.
debian() {
  local each
  mkdir debian
  (cd debian && apt-get download -qq "$@") >apt.log 2>&1 || { cat apt.log; exit 1; }
  for each in debian/*.deb; do
    dpkg -x "$each" debian
  done
  export PATH="$PWD/debian/sbin:$PWD/debian/usr/sbin:$PWD/debian/bin:$PWD/debian/usr/bin:$PATH"
  export LD_LIBRARY_PATH="$PWD/debian/lib/x86_64-linux-gnu:$PWD/debian/usr/lib/x86_64-linux-gnu"
  echo "packages: $*; Linux $(uname -r)"
}

# volume TYPE mounts a new file system of 1 GiB at disk/, on a loop device that is $device. For root.
volume() {
  mkdir -p disk
  rm -f image
  truncate -s 1G image
  mkfs."$1" -q image >mkfs.log 2>&1 || { cat mkfs.log; exit 1; }
  mount -o loop image disk
  trap 'umount disk 2>/dev/null || true; rm -rf "$work"' EXIT
  device=$(findmnt -n -o SOURCE disk)
}

# free_mib says how many MiB are free at disk/.
free_mib() {
  df --output=avail -B1M disk | tail -1 | tr -d ' '
}
