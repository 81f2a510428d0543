# What the programs of this project need to start: a Java, their jar, a terminal. Sourced by the
# scripts that are started, which set program and module before, and then call what they need of
# describe_terminal, find_java, find_jar and use_class_archive. These set java, java_home,
# java_version, jar and jvm_options.
#
# JAVA_HOME, then PATH   where Java 17 or newer is looked for
# SIFR_JAVA_OPTS         further options for the JVM, for instance -Xmx512m

readonly oldest_java=17
readonly exit_unavailable=127

project_dir=$(cd -P "${BASH_SOURCE[0]%/*}/../.." && pwd)
jvm_options=()

say() { printf '%s: %s\n' "$program" "$*" >&2; }
fail() { say "$*"; exit "$exit_unavailable"; }

describe_terminal() {
  # Java 17 cannot tell which of the streams are terminals, nor how wide they are.
  SIFR_TTY=
  if [[ -t 1 ]]; then SIFR_TTY+=' out'; fi
  if [[ -t 2 ]]; then SIFR_TTY+=' err'; fi
  export SIFR_TTY
  if [[ -n $SIFR_TTY && -z ${COLUMNS:-} ]]; then
    COLUMNS=$({ stty size </dev/tty | cut -d ' ' -f 2; } 2>/dev/null || true)
    [[ $COLUMNS != 0 ]] || COLUMNS= # the terminal does not know
    export COLUMNS
  fi
  # In the POSIX locale Java would read the bytes of arguments as ASCII.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]*) ;;
    *) export LC_ALL=C.UTF-8 ;;
  esac
}

# Status: one line on a terminal that is drawn over and over, and nothing elsewhere.

status_is_shown() { [[ -t 2 && ${TERM:-dumb} != dumb ]]; }

status() {
  local width=$((${COLUMNS:-80} - 1)) text="$program: $*"
  ! status_is_shown || printf '\r%-*s' "$width" "${text:0:width}" >&2
}

clear_status() { ! status_is_shown || printf '\r%*s\r' "$((${COLUMNS:-80} - 1))" '' >&2; }

# Waits for the process in $1, which is a child, and shows what the function $2 says about it, given
# the seconds since the start and $3. Succeeds as the child does. An interrupt ends the child too.
await() {
  local child=$1 since=$SECONDS
  trap 'kill "$child" 2>/dev/null; clear_status; exit 130' INT
  trap 'kill "$child" 2>/dev/null; clear_status; exit 143' TERM HUP
  while kill -0 "$child" 2>/dev/null; do
    ! status_is_shown || status "$("$2" "$((SECONDS - since))" "${3:-}")"
    sleep 0.3
  done
  clear_status
  trap - INT TERM HUP
  wait "$child"
}

# Locks are links to the number of the process that holds them: made in one step.

is_running() { kill -0 "$1" 2>/dev/null || [[ -d /proc/$1 ]]; }

# Takes the lock $1, also from a process that died with it. Fails while another one holds it.
take_lock() {
  local holder
  if ! ln -s "$$" "$1" 2>/dev/null; then
    holder=$(readlink "$1") || return 1
    ! is_running "$holder" || return 1
    # Of all that see the dead one, one moves it away, or puts back what it moved by mistake.
    mv "$1" "$1.$$" 2>/dev/null || return 1
    if [[ $(readlink "$1.$$") != "$holder" ]]; then
      mv "$1.$$" "$1"
      return 1
    fi
    rm -f "$1.$$"
    ln -s "$$" "$1" 2>/dev/null || return 1
  fi
  # shellcheck disable=SC2064 # it is this lock that is released
  trap "rm -f '${1//\'/\'\\\'\'}'" EXIT
}

release_lock() {
  rm -f "$1"
  trap - EXIT
}

# Java

# Sets java_release to what the Java in directory $1 says about itself, and java_version to its
# feature version (17, 21, 25 …) or nothing.
read_release() {
  local line pattern='version "(1\.)?([0-9]+)'
  java_release=
  java_version=
  if [[ -r $1/release ]]; then
    while IFS= read -r line || [[ -n $line ]]; do java_release+=$line$'\n'; done <"$1/release"
    [[ ! $java_release =~ JAVA_VERSION=\"(1\.)?([0-9]+) ]] || java_version=${BASH_REMATCH[2]}
  fi
  if [[ -z $java_version ]]; then
    java_release=$("$1/bin/java" -version 2>&1) || true
    [[ ! $java_release =~ $pattern ]] || java_version=${BASH_REMATCH[2]}
  fi
}

# Sets java, java_home and java_version to the first that is new enough.
find_java() {
  local candidate seen=
  for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(type -P java || true)"; do
    [[ -n $candidate && -x $candidate ]] || continue
    java=$candidate
    [[ ! -L $java ]] || java=$(readlink -f "$java")
    java_home=${java%/bin/java}
    read_release "$java_home"
    if ((${java_version:-0} >= oldest_java)); then return; fi
    seen+=" $candidate is Java ${java_version:-of an unknown version}."
  done
  fail "Java $oldest_java or newer is needed.${seen:- No java was found.}" \
    "Set JAVA_HOME to a newer one, or put it on the PATH."
}

# The jar

# What the Maven whose output is in $2 does, after $1 seconds.
build_step() {
  awk -v seconds="$1" '
    BEGIN { what = goal = "starting Maven" }
    /Downloaded from/ { fetched++; next }
    /Downloading from/ { n = split($NF, path, "/"); what = "fetching " path[n]; next }
    /^\[INFO\] --- / {
      split($3, name, ":")
      goal = (name[3] == "compile" ? "compiling " : name[3] ~ /jar|shade/ ? "packing " : "preparing ") $(NF - 1)
    }
    { what = goal }
    END { printf "building, %d s, %d files fetched: %s", seconds, fetched, what }' "$2"
}

archive_step() { printf 'making later starts quicker, once, %d s' "$1"; }

report_failed_build() {
  local log=$1 told
  if grep -qE 'Unknown host|Temporary failure in name|Network is unreachable|Connection (refused|timed out)|offline mode|Could not transfer|PKIX path' "$log"; then
    say "Maven cannot fetch what the build needs; is there a network, a proxy to be set?"
  fi
  told=$(grep -m 3 '^\[ERROR\]' "$log" | cut -c1-300) || true
  [[ -z $told ]] || printf '%s\n' "$told" >&2
  fail "the build failed; its log is $log"
}

build() {
  local log=$project_dir/$module/target/build.log since=$SECONDS part
  [[ -x $java_home/bin/javac ]] ||
    fail "$jar is missing, and $java_home has no compiler (javac) to build it; set JAVA_HOME to a JDK"
  command -v mvn >/dev/null ||
    fail "$jar is missing, and there is no Maven (mvn) to build it; install Maven 3.8 or newer"
  say "building $jar, once"
  # The programs alone: no tests, no static analysis. Each jar gets its name when it is whole.
  (cd "$project_dir" && JAVA_HOME=$java_home exec mvn -B -Pprograms-only -DskipChecks \
    -Dprograms.suffix=.part -pl "$module" -am package) </dev/null >"$log" 2>&1 &
  await $! build_step "$log" || report_failed_build "$log"
  for part in "$project_dir"/*/target/*.jar.part "$project_dir/$module"/target/*.jar.part; do
    [[ ! -f $part ]] || mv -f "$part" "${part%.part}"
  done
  [[ -f $jar ]] || report_failed_build "$log"
  say "built in $((SECONDS - since)) s"
}

# Sets jar to that of the module, and builds it if it is missing.
find_jar() {
  local lock=$project_dir/sifr-cli/target/build.lock holder=
  jar=$project_dir/$module/target/${module##*/}.jar
  [[ ! -f $jar ]] || return 0
  mkdir -p "${lock%/*}" "${jar%/*}" 2>/dev/null && [[ -w ${lock%/*} && -w ${jar%/*} ]] ||
    fail "$jar is missing and cannot be built: ${jar%/*} is not writable"
  # The modules share what is built: one build at a time.
  until take_lock "$lock"; do
    if [[ -z $holder ]]; then
      holder=$(readlink "$lock" || true)
      say "waiting for another build${holder:+ (process $holder)}"
    fi
    status "waiting for another build"
    sleep 0.5
  done
  clear_status
  [[ -f $jar ]] || build
  release_lock "$lock"
}

# Class data archive: what the JVM reads and checks of classes, kept for the next start.

# Makes an archive in the new directory $1 while running a first get.
make_class_archive() {
  local option=-XX:ArchiveClassesAtExit run=("$java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1)
  ((java_version < 25)) || option=-XX:AOTCacheOutput
  "${run[@]}" -jar "$jar" put --db "$1/store" key value &&
    "${run[@]}" "$option=$1/classes" -jar "$jar" get --db "$1/store" key
}

# What the archive in directory $1 is bound to: the jar, the Java, and itself, for a JVM may crash on
# one that was cut off.
class_archive_key() {
  local files=("$jar" "$1/classes") found
  found=$(stat -c '%Y %s' "${files[@]}" 2>/dev/null) || true
  [[ -n $found ]] || found=$(stat -f '%m %z' "${files[@]}" 2>/dev/null) || true
  printf '%s\n' "$jar" "$found" "$java_release"
}

is_current() {
  local key=
  [[ -r $1/key ]] || return 1
  IFS= read -r -d '' key <"$1/key" || true
  [[ $key == "$(class_archive_key "$1")" ]]
}

# Makes the archive that belongs into directory $1.
renew_class_archive() {
  local directory=$1 lock=$1.lock made=$1.$$
  take_lock "$lock" || return 0 # who comes second starts without
  rm -rf "$directory".[0-9]*    # of those that were interrupted
  mkdir "$made"
  make_class_archive "$made" </dev/null >"$made/log" 2>&1 &
  # A JVM that cannot make one is not asked again: what is kept for it is a key without archive.
  await $! archive_step || rm -f "$made/classes"
  rm -rf "$made/store"
  printf '%s' "$(class_archive_key "$made")" >"$made/key"
  rm -rf "$directory"
  mv "$made" "$directory"
  release_lock "$lock"
}

# Adds the archive to jvm_options; makes it if it is missing, or was made for another jar or Java.
# Without a place to write, and with options that concern archives, all goes on without.
use_class_archive() {
  local places place current=no name=${java_home//[^A-Za-z0-9._-]/_}
  case " ${SIFR_JAVA_OPTS:-} ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} " in
    *' -Xshare:'* | *' -XX:SharedArchiveFile='* | *' -XX:AOT'* | *' -XX:ArchiveClassesAtExit='*) return 0 ;;
  esac
  # Beside the jar, or where it cannot be, in a directory of the user's.
  places=("${jar%/*}/class-archive/$name")
  if [[ -n ${XDG_CACHE_HOME:-${HOME:-}} ]]; then
    places+=("${XDG_CACHE_HOME:-$HOME/.cache}/sifr/${jar//[^A-Za-z0-9._-]/_}/$name")
  fi
  for place in "${places[@]}"; do
    if is_current "$place"; then current=yes && break; fi
  done
  if [[ $current == no ]]; then
    for place in "${places[@]}"; do
      if mkdir -p "${place%/*}" 2>/dev/null && [[ -w ${place%/*} ]]; then
        renew_class_archive "$place"
        break
      fi
    done
    is_current "$place" || return 0
  fi
  [[ -r $place/classes ]] || return 0
  # Whatever the JVM dislikes about it, it starts without, and in silence.
  if ((java_version < 25)); then
    jvm_options+=("-XX:SharedArchiveFile=$place/classes" -Xshare:auto -Xlog:cds*=off)
  else
    jvm_options+=("-XX:AOTCache=$place/classes" -Xlog:aot*=off -Xlog:cds*=off)
  fi
}
