#!/usr/bin/env bats
# The runner behind `make test`.

setup() {
  export SHELLAC_HOME=$BATS_TEST_DIRNAME/../.. STEP_LOGS=$BATS_TEST_TMPDIR/logs
  # shellcheck source=scripts/steps.sh
  . "$SHELLAC_HOME/scripts/steps.sh"
}

@test "steps are numbered and the last line counts the tests of every runner" {
  step "maven" printf '%s\n' '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A' '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0'
  step "go" printf '%s\n' '--- PASS: TestA (0.00s)' '    --- PASS: TestA/b (0.00s)'
  step "cargo" printf '%s\n' 'test result: ok. 5 passed; 0 failed; 0 ignored'
  step "bats" printf '%s\n' 'ok 1 something'
  step "varnishtest" printf '%s\n' '#    top  TEST a.vtc passed (0.5)'
  run run_steps
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = "[ 1 of 5] maven" ]
  [ "${lines[${#lines[@]} - 1]}" = "shellac: 11 passed, 0 failed" ]
}

@test "the first failure ends the run with its log" {
  step "good" printf 'ok 1 a\n'
  step "bad" bash -c 'echo the reason; exit 3'
  step "never" touch "$BATS_TEST_TMPDIR/reached"
  run run_steps
  [ "$status" -ne 0 ]
  [[ "$output" == *"the reason"* ]]
  [[ "${lines[${#lines[@]} - 1]}" == "FAILED in step 2 of 3, bad, after"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/reached" ]
}

@test "how long each step took is noted, that of the one that failed, too" {
  step "good" printf 'ok 1 a\n'
  step "bad" false
  step "never" true
  run run_steps
  [ "$(cut -f 2 "$STEP_LOGS/times.tsv" | paste -s -d ,)" = "step,good,bad" ]
  [ "$(tail -n 1 "$STEP_LOGS/times.tsv" | cut -f 1)" -ge 0 ]
}

@test "a run without any test has failed" {
  step "nothing" true
  run run_steps
  [ "$status" -ne 0 ]
  [[ "$output" == *"no test ran"* ]]
}

@test "the slowest five and what was measured are shown" {
  for i in 1 2 3 4 5 6; do step "s$i" echo "ok $i x"; done
  step "figure" echo "measured: something 3 s"
  run run_steps
  [[ "$output" == *"measured: something 3 s"* ]]
  [ "$(sed -n '/^slowest:/,/steps in/p' <<<"$output" | grep -c ' s  ')" -eq 5 ]
}

@test "a step cannot read from the terminal" {
  step "asks" bash -c 'read -r answer && exit 1; echo ok 1 no answer'
  run run_steps
  [ "$status" -eq 0 ]
}
