#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats sets
# What holds for every file, in whatever language. Java has more of it, in its own tests.

@test "no file of code has more than 400 lines" {
  cd "$BATS_TEST_DIRNAME/../.."
  run bash -c "git ls-files --cached --others --exclude-standard -z -- '*.c' '*.h' '*.rs' '*.go' '*.sh' '*.bats' scripts bin |
    xargs -0 awk 'FNR == 401 { print FILENAME }'"
  [ "$status" -eq 0 ]
  [ "$output" = "" ]
}
