#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2154 # words, not lines; variables that bats sets
# What a newcomer types first.

bats_require_minimum_version 1.5.0

setup() {
  home=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  cd "$home" || return
}

@test "make alone lists every target with one line" {
  run make
  [ "$status" -eq 0 ]
  for target in $(sed -n 's/^\.PHONY: *//p' Makefile); do
    [[ "$output" == *"make $target "* ]]
  done
}

@test "CI runs make test and nothing else" {
  [ "$(grep -vcE '^(#|set |cd |exec make test$|$)' .ci/run)" -eq 0 ]
}

@test "every command answers --help" {
  for command in bin/*; do
    run "$command" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"Usage:"* ]]
  done
}

@test "an image is built from a specification, twice with the same digest" {
  cat >"$BATS_TEST_TMPDIR/image.yaml" <<END
tags: [docker.io/test/hello:1]
layers:
- files:
  - {from: "\${hello}", to: /hello}
config: {entrypoint: [/hello]}
END
  echo hello >"$BATS_TEST_TMPDIR/hello"
  first=$(bin/image build "$BATS_TEST_TMPDIR/image.yaml" --set hello="$BATS_TEST_TMPDIR/hello" --output "$BATS_TEST_TMPDIR/1.tar")
  second=$(bin/image build "$BATS_TEST_TMPDIR/image.yaml" --set hello="$BATS_TEST_TMPDIR/hello" --output "$BATS_TEST_TMPDIR/2.tar")
  [[ "$first" == sha256:* ]]
  [ "$first" = "$second" ]
  cmp "$BATS_TEST_TMPDIR/1.tar" "$BATS_TEST_TMPDIR/2.tar"
}

@test "an image without a value for its variable is refused in one line" {
  run --separate-stderr bin/image build dev/cluster/images/echo/image.yaml --output "$BATS_TEST_TMPDIR/x.tar"
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"variable echo has no value"* ]]
  [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "a root that does not exist is refused with those that do" {
  run --separate-stderr bin/root run debian-99 -- true
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"debian-12"*"debian-13"* ]]
  [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "a root has its packages, passes the exit code on and keeps nothing" {
  for release in 12:7.1 13:7.7; do
    run bin/root run "debian-${release%:*}" -- varnishd -V
    [[ "$output" == *"varnish-${release#*:}."* ]]
  done
  run bin/root run debian-13 -- sh -c 'echo x >/usr/kept && exit 7'
  [ "$status" -eq 7 ]
  [ ! -e "$(bin/root path debian-13)/usr/kept" ]
  run grep -c "$(bin/root path debian-13)" /proc/self/mountinfo
  [ "$output" = 0 ]
}

@test "a signal stops what runs in a root, and a killed run leaves nothing" {
  for signal in TERM KILL; do
    work="$BATS_TEST_TMPDIR/$signal"
    mkdir "$work"
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    bin/root run debian-13 -- varnishd -F -n "$work/n" -a 127.0.0.1:0 -b none >"$work/log" 2>&1 3>&- &
    pid=$!
    until grep -q 'Child starts' "$work/log"; do sleep 0.05; done
    kill "-$signal" "$pid"
    wait "$pid" || true
    sleep 0.2
    run pgrep -f "$work/n"
    [ "$status" -eq 1 ]
  done
  grep -q 'manager dies' "$BATS_TEST_TMPDIR/TERM/log"
}

@test "a command can join one that runs in a root" {
  bin/root run debian-13 -- sleep 60 3>&- &
  pid=$!
  for ((i = 0; i < 50; i++)); do
    run bin/root join "$pid" -- cat /proc/1/task/1/children
    if [ "$status" -eq 0 ]; then break; fi
    sleep 0.1
  done
  [ "$status" -eq 0 ]
  run bin/root join "$pid" -- varnishd -V
  [[ "$output" == *"varnish-7.7"* ]]
  kill "$pid"
  wait "$pid" || true
}

@test "localhost has an address in a root" {
  for release in debian-12 debian-13; do
    run bin/root run "$release" -- getent hosts localhost
    [ "$status" -eq 0 ]
  done
}

@test "a command in a root sees the checkout and the present folder" {
  echo here >"$BATS_TEST_TMPDIR/file"
  cd "$BATS_TEST_TMPDIR"
  run "$home/bin/root" run debian-13 -- sh -c "cat file && head -n 1 '$home/Makefile'"
  [ "${lines[0]}" = here ]
  [[ "${lines[1]}" == "# The front door"* ]]
}
