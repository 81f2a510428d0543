# What the programs of this project need to start: a Java, their jar, a terminal. Sourced by the
# scripts that are started, which set program and module before.
#
# JAVA_HOME, then PATH   where Java 17 or newer is looked for
# SIFR_JAVA_OPTS         further options for the JVM, for instance -Xmx512m

readonly oldest_java=17
readonly exit_unavailable=127

fail() { printf '%s: %s\n' "$program" "$*" >&2; exit "$exit_unavailable"; }

# The feature version (17, 21, 25 …) of the java in $1. The file "release" saves starting a JVM.
java_version() {
  local java=$1 home version=
  home=$(dirname "$(dirname "$(readlink -f "$java")")")
  if [[ -r $home/release ]]; then
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
  fi
  if [[ -z $version ]]; then
    version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
  fi
  printf '%s' "${version:-0}"
}

# Sets $java to the first that is new enough.
find_java() {
  local candidate version seen=
  for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)"; do
    [[ -n $candidate && -x $candidate ]] || continue
    version=$(java_version "$candidate")
    if ((version >= oldest_java)); then
      java=$candidate
      return
    fi
    seen+=" $candidate is Java $version."
  done
  fail "Java $oldest_java or newer is needed.${seen:- No java was found.}" \
    "Set JAVA_HOME to a newer one, or put it on the PATH."
}

# Sets $jar to that of the module in $1, and builds it if it is missing.
find_jar() {
  local module_dir=$1
  jar=$module_dir/target/$module.jar
  [[ ! -f $jar ]] || return 0
  command -v mvn >/dev/null || fail "$jar is missing, and there is no Maven (mvn) to build it"
  printf '%s: building %s\n' "$program" "$jar" >&2
  # Standard output belongs to the command.
  (cd "$module_dir/.." &&
    JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$java")")") \
      mvn -q -pl "$module" -am -DskipTests package >&2) || fail "the build failed"
}

describe_terminal() {
  # Java 17 cannot tell which of the streams are terminals, nor how wide they are.
  SIFR_TTY=
  if [[ -t 1 ]]; then SIFR_TTY+=' out'; fi
  if [[ -t 2 ]]; then SIFR_TTY+=' err'; fi
  export SIFR_TTY
  if [[ -n $SIFR_TTY && -z ${COLUMNS:-} ]]; then
    COLUMNS=$({ stty size </dev/tty | cut -d ' ' -f 2; } 2>/dev/null || true)
    export COLUMNS
  fi
  # In the POSIX locale Java would read the bytes of arguments as ASCII.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]*) ;;
    *) export LC_ALL=C.UTF-8 ;;
  esac
}

# Nothing that the programs need: scripts add what makes them quicker.
jvm_options=()

find_java
find_jar "$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../$module" && pwd)"
describe_terminal
