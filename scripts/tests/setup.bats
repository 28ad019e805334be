#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # scripts in quotes; variables that bats sets
# Set-up on machines that lack something. Programs that tell of the machine are replaced by ones that tell of another.

setup() {
  home=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  fakes=$BATS_TEST_TMPDIR/fakes
  mkdir -p "$fakes"
  export SHELLAC_CACHE=$BATS_TEST_TMPDIR/cache
}

# fake NAME SCRIPT: a program of that name that runs the script
fake() {
  printf '#!/bin/bash\n%s\n' "$2" >"$fakes/$1"
  chmod +x "$fakes/$1"
}

# in_setup COMMAND: runs a function of scripts/setup with the fakes in front
in_setup() {
  run --separate-stderr env PATH="$fakes:$PATH" bash -c ". '$home/scripts/setup'; $1"
}

bats_require_minimum_version 1.5.0

@test "missing packages are installed, and only those" {
  fake dpkg-query 'case "${*: -1}" in shellcheck) exit 1 ;; *) echo installed ;; esac'
  fake id 'echo 0'
  fake apt-get "echo \"\$*\" >>'$BATS_TEST_TMPDIR/apt'"
  in_setup install_packages
  [ "$status" -eq 0 ]
  [ "$(cat "$BATS_TEST_TMPDIR/apt")" = $'update\ninstall --yes --no-install-recommends shellcheck' ]
}

@test "nothing is installed when nothing is missing" {
  fake dpkg-query 'echo installed'
  fake apt-get 'exit 1'
  in_setup install_packages
  [ "$status" -eq 0 ]
}

@test "without root it prints the exact command" {
  fake dpkg-query 'case "${*: -1}" in shellcheck | maven) exit 1 ;; *) echo installed ;; esac'
  fake id 'echo 1000'
  in_setup install_packages
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"sudo apt-get install --yes --no-install-recommends maven shellcheck"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "a mirror that is down gives one line that names the packages" {
  fake dpkg-query 'case "${*: -1}" in shellcheck) exit 1 ;; *) echo installed ;; esac'
  fake id 'echo 0'
  fake apt-get 'echo "E: Failed to fetch something  Could not resolve host"; exit 100'
  in_setup install_packages
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"could not fetch the packages shellcheck: E: Failed to fetch something"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "dependencies that cannot be fetched give one line that names the first" {
  in_setup "SHELLAC_HOME=$BATS_TEST_TMPDIR fetch Java /dev/null -- sh -c 'echo \"[ERROR] Could not transfer artifact a:b:jar:1 from/to central: unknown host\"; exit 1'"
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"could not fetch the dependencies of Java: Could not transfer artifact a:b:jar:1"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "sources that are not formatted are not called dependencies that cannot be fetched" {
  in_setup "SHELLAC_HOME=$BATS_TEST_TMPDIR fetch Java /dev/null -- sh -c 'echo \"[INFO] error-prone is used\"; echo \"[ERROR] Failed to execute goal spotless:check: The following files had format violations:\"; exit 1'"
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"the build of Java that fetches its dependencies failed: [ERROR] Failed to execute goal spotless:check: The following files had format violations:"* ]]
  [[ "$stderr" != *"could not fetch"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "dependencies are fetched once for the same inputs" {
  echo one >"$BATS_TEST_TMPDIR/input"
  command="SHELLAC_HOME=$BATS_TEST_TMPDIR fetch Java $BATS_TEST_TMPDIR/input -- sh -c 'echo x >>$BATS_TEST_TMPDIR/ran'"
  in_setup "$command" && in_setup "$command"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/ran")" -eq 1 ]
  echo two >"$BATS_TEST_TMPDIR/input"
  in_setup "$command"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/ran")" -eq 2 ]
}

@test "a JDK of another release is not taken, and the line says what to do" {
  mkdir -p "$BATS_TEST_TMPDIR/jdk/bin"
  printf '#!/bin/sh\necho javac 17.0.1\n' >"$BATS_TEST_TMPDIR/jdk/bin/javac"
  chmod +x "$BATS_TEST_TMPDIR/jdk/bin/javac"
  run --separate-stderr env JAVA_HOME="$BATS_TEST_TMPDIR/jdk" bash -c ". '$home/scripts/toolchain.sh'; use_java && echo \$JAVA_HOME"
  [[ "$output" != "$BATS_TEST_TMPDIR/jdk" ]]
  in_setup 'use_java() { return 1; }; need_java'
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"no JDK 25 found"*"JAVA_HOME"* ]]
}

@test "a JDK is found through JAVA_HOME first" {
  mkdir -p "$BATS_TEST_TMPDIR/jdk/bin"
  printf '#!/bin/sh\necho javac 25.0.1\n' >"$BATS_TEST_TMPDIR/jdk/bin/javac"
  chmod +x "$BATS_TEST_TMPDIR/jdk/bin/javac"
  run env JAVA_HOME="$BATS_TEST_TMPDIR/jdk" bash -c ". '$home/scripts/toolchain.sh'; use_java && echo \$JAVA_HOME"
  [ "$output" = "$BATS_TEST_TMPDIR/jdk" ]
}

@test "versions are compared as versions" {
  in_setup 'at_least 1.95.0 1.85 && at_least 1.85 1.85 && at_least 1.100 1.85 && ! at_least 1.9 1.85'
  [ "$status" -eq 0 ]
}

@test "a module registry that is down gives one line that names the part" {
  run --separate-stderr env GOPROXY=http://127.0.0.1:1 GOMODCACHE="$BATS_TEST_TMPDIR/mod" GOFLAGS=-modcacherw GOSUMDB=off "$home/bin/cluster" prepare
  [ "$status" -ne 0 ]
  last=${stderr_lines[${#stderr_lines[@]} - 1]}
  [[ "$last" == "cluster: could not build etcd"*"could not fetch"* ]]
}

@test "a Debian mirror that is down gives one line that names the root" {
  run --separate-stderr env DEBIAN_MIRROR=http://127.0.0.1:1/debian "$home/bin/root" prepare debian-13
  [ "$status" -ne 0 ]
  last=${stderr_lines[${#stderr_lines[@]} - 1]}
  [[ "$last" == *"could not fetch debian-13 from the Debian mirror"* ]]
  [ "$(ls -A "$SHELLAC_CACHE/roots")" = lock ]
}
