#!/usr/bin/env bats
# shellcheck disable=SC1091,SC2154 # sourced; variables that bats sets
# What `make run` does before anything runs.

bats_require_minimum_version 1.5.0

setup_file() {
  "$BATS_TEST_DIRNAME/../../bin/shellac" --version
}

setup() {
  home=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  . "$home/scripts/run"
}

teardown() {
  if [ -n "${server:-}" ]; then
    kill "$server"
    wait "$server" || true
  fi
}

@test "a port that is taken is told with who has it" {
  "$home/bin/shellac" echo taken=18081 >"$BATS_TEST_TMPDIR/out" 3>&- &
  server=$!
  for _ in $(seq 100); do
    grep -q listening "$BATS_TEST_TMPDIR/out" && break
    sleep 0.1
  done
  run --separate-stderr free 18081
  [ "$status" -eq 1 ]
  [ "$stderr" = "port 18081 is taken by java, process $server: stop it first" ]
}

@test "a port that is free is not spoken of" {
  run --separate-stderr free 18082
  [ "$status" -eq 0 ]
  [ "${output}${stderr}" = "" ]
}

@test "set-up for one machine asks for no package that the whole set-up would not" {
  all=$(bash -c '. "$1/scripts/setup" && echo "${packages[*]}"' _ "$home")
  for package in "${packages[@]}"; do
    [[ " $all " == *" $package "* ]]
  done
}

@test "bin/shellac builds nothing that did not change, and passes the exit code on" {
  run --separate-stderr "$home/bin/shellac" check "$BATS_TEST_TMPDIR/nowhere"
  [ "$status" -eq 1 ]
  [ "$stderr" = "" ]
  run --separate-stderr "$home/bin/shellac" nonsense
  [ "$status" -eq 2 ]
}

@test "what completes in bash is what there is" {
  run bash -c '. <("$1" completion bash) && COMP_WORDS=(shellac ch) COMP_CWORD=1 && _complete_shellac && echo "${COMPREPLY[*]}"' _ "$home/bin/shellac"
  [ "$status" -eq 0 ]
  [ "$output" = check ]
}
