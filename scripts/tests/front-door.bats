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
  run --separate-stderr bin/image build cluster/images/echo/image.yaml --output "$BATS_TEST_TMPDIR/x.tar"
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
