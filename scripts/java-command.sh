# shellcheck shell=bash
# Sourced by the commands of bin/ that are Java: builds the module of one if its sources changed, and says how to run it.

# Whether something changed since the last build, the removal of a file included.
java_changed() {
  local built=$1
  [ -e "$built/stamp" ] && [ -x "$(cat "$built/java" 2>/dev/null)" ] || return 0
  [ -n "$(find "$SHELLAC_HOME"/pom.xml "$SHELLAC_HOME"/*/*/pom.xml "$SHELLAC_HOME"/*/*/src/main -newer "$built/stamp" -print -quit)" ]
}

java_build() {
  local name=$1 module=$2 built=$3 log
  need_java
  command -v mvn >/dev/null || die "no Maven found: install the package maven"
  mkdir -p "$built"
  # One at a time, whichever command it is for.
  exec 9>"$SHELLAC_HOME/build/java-command.lock"
  flock 9
  java_changed "$built" || return 0
  echo "building $name" >&2
  # What changes while it builds is newer than this, and is built next time.
  touch "$built/stamp.$$"
  if ! log=$(cd "$SHELLAC_HOME" &&
    mvn --batch-mode --no-transfer-progress --quiet -Dmaven.test.skip=true -pl "apps/$module" -am package 9>&- 2>&1); then
    rm -f "$built/stamp.$$"
    grep '^\[ERROR\]' <<<"$log" | head -n 20 >&2
    die "cannot build $name"
  fi
  rm -f "$built"/*.jsa
  echo "$JAVA_HOME/bin/java" >"$built/java"
  mv "$built/stamp.$$" "$built/stamp"
}

# java_command NAME MODULE: builds that module of apps/, and sets JAVA_COMMAND and JAVA_CLASS_PATH. The class archive halves the start of a
# command; Java makes and renews it by itself.
java_command() {
  local name=$1 module=$2 built
  built="$SHELLAC_HOME/build/$name"
  if java_changed "$built"; then (java_build "$name" "$module" "$built"); fi
  # shellcheck disable=SC2034 # for who sources this
  JAVA_COMMAND=("$(cat "$built/java")" -XX:+UseSerialGC "-XX:SharedArchiveFile=$built/$name.jsa" -XX:+AutoCreateSharedArchive
    -Xlog:disable -Xlog:all=error:stderr)
  # shellcheck disable=SC2034 # for who sources this
  JAVA_CLASS_PATH="$(echo "$SHELLAC_HOME/apps/$module/target/shellac-$module"-*.jar):$SHELLAC_HOME/apps/$module/target/lib/*"
}
