# shellcheck shell=bash
# Sourced. Runs a list of steps, each with a log of its own: says what it is doing, stops at the first failure with the
# log that matters, and ends with one plain line.

STEP_LOGS=${STEP_LOGS:-$SHELLAC_HOME/build/logs}
step_names=() step_commands=() step_seconds=()

# step NAME COMMAND…: adds a step
step() {
  step_names+=("$1")
  shift
  step_commands+=("$(printf '%q ' "$@")")
}

# passed_in LOG: how many tests of any of our runners passed
passed_in() {
  awk '
    # Maven prints a line for each class, with a time, and one for the module, without.
    /Tests run: [0-9]+, Failures: 0, Errors: 0/ && !/Time elapsed/ { sub(/.*Tests run: /, ""); n += $1 + 0 }
    /^ *--- PASS: /                { n++ }                               # go test -v
    /^test result: ok\. [0-9]+ passed/ { n += $4 }                       # cargo test
    /^ok [0-9]+ /                  { n++ }                               # bats
    /^#? *top +TEST .* passed/     { n++ }                               # varnishtest
    END { print n + 0 }' "$1"
}

# beat LOG: a sign of life each half minute
beat() {
  local waited=0
  trap 'kill "$!"; exit' TERM
  while true; do
    sleep 30 &
    wait "$!"
    waited=$((waited + 30))
    printf '        … %d s: %s\n' "$waited" "$(tail -n 1 "$1" | cut -c 1-100)"
  done
}

# run_steps: runs them all, and notes in times.tsv beside the logs how long each took; the number of tests that passed is the last line
run_steps() {
  local count=${#step_names[@]} i log start status beater passed=0 began=$SECONDS
  mkdir -p "$STEP_LOGS"
  printf 'seconds\tstep\n' >"$STEP_LOGS/times.tsv"
  for ((i = 0; i < count; i++)); do
    log="$STEP_LOGS/$(printf '%02d' $((i + 1)))-${step_names[i]//[^a-zA-Z0-9]/-}.log"
    printf '[%2d of %d] %s\n' $((i + 1)) "$count" "${step_names[i]}"
    start=$SECONDS
    : >"$log"
    beat "$log" &
    beater=$!
    status=0
    # In a process of its own, so that what a step sets or changes stays its own.
    bash -c "set -euo pipefail; cd \"\$SHELLAC_HOME\"; ${step_commands[i]}" >"$log" 2>&1 </dev/null || status=$?
    kill "$beater" 2>/dev/null
    wait "$beater" 2>/dev/null || true
    step_seconds+=($((SECONDS - start)))
    printf '%s\t%s\n' "${step_seconds[i]}" "${step_names[i]}" >>"$STEP_LOGS/times.tsv"
    if [ "$status" != 0 ]; then
      printf '\n----- the end of %s -----\n' "$log"
      tail -n 60 "$log"
      printf -- '-----\nFAILED in step %d of %d, %s, after %d s: %s\n' \
        $((i + 1)) "$count" "${step_names[i]}" $((SECONDS - began)) "$log"
      return 1
    fi
    passed=$((passed + $(passed_in "$log")))
    printf '        ok, %d s (%d s so far)\n' "${step_seconds[i]}" $((SECONDS - began))
  done
  grep -h '^measured: ' "$STEP_LOGS"/*.log | sort -u || true
  echo "slowest:"
  for ((i = 0; i < count; i++)); do printf '%6d s  %s\n' "${step_seconds[i]}" "${step_names[i]}"; done | sort -rn | head -n 5
  echo "$count steps in $(((SECONDS - began) / 60)) min $(((SECONDS - began) % 60)) s"
  if [ "$passed" = 0 ]; then
    echo "FAILED: no test ran"
    return 1
  fi
  echo "shellac: $passed passed, 0 failed"
}
