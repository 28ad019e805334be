#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # scripts in quotes; variables that bats sets
# What `make conformance` does around the suite, which is a stub here: it writes the report that the test gives it. The checkout is a small one
# of the test's own, and the cluster one that KUBECONFIG names, so that none is brought up.

bats_require_minimum_version 1.5.0

setup() {
  home=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  work=$BATS_TEST_TMPDIR
  checkout=$work/checkout
  mkdir -p "$checkout/scripts" "$checkout/conformance/reports" "$work/cache/conformance"
  cp "$home"/scripts/{conformance,toolchain.sh,test} "$checkout/scripts"
  cp "$home"/conformance/*.go "$home"/conformance/go.{mod,sum} "$checkout/conformance"
  echo /build/ >"$checkout/.gitignore"
  report experimental success 2026-01-01T00:00:00Z an-older-commit >"$checkout/conformance/reports/experimental.yaml"
  cp "$checkout/conformance/reports/experimental.yaml" "$work/filed"
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
  git -C "$checkout" init --quiet
  git -C "$checkout" add .
  git -C "$checkout" commit --quiet --message one
  export SHELLAC_CACHE=$work/cache KUBECONFIG=$work/kubeconfig GATEWAY_CLASS=edge
  suite=$SHELLAC_CACHE/conformance/suite-$(cat "$checkout"/conformance/*.go "$checkout/conformance/go.sum" | sha256sum | cut -c 1-10)
  printf '#!/bin/bash\n%s\n' 'echo "$*" >>"$WORK/ran"; . "$WORK/suite"' >"$suite"
  chmod +x "$suite"
  export WORK=$work
  writes experimental success
}

# report CHANNEL RESULT DATE COMMIT: as the suite writes it
report() {
  printf 'date: "%s"\ngatewayAPIChannel: %s\nimplementation:\n  project: shellac\n  version: %s\nprofiles:\n- core: {result: %s}\n' "$3" "$1" "$4" "$2"
}

# writes CHANNEL RESULT [EXIT CODE]: what the suite does from now on
writes() {
  report "$1" "$2" 2026-02-02T00:00:00Z "$(git -C "$checkout" rev-parse HEAD)" >"$work/report"
  printf '%s\n' 'for word in "$@"; do case $word in --report-output=*) cp "$WORK/report" "${word#*=}" ;; esac; done' "exit ${3:-0}" >"$work/suite"
}

conformance() { run --separate-stderr "$checkout/scripts/conformance" "$@"; }
nothing_is_filed() {
  cmp "$work/filed" "$checkout/conformance/reports/experimental.yaml"
  [ "$(ls "$checkout/conformance/reports")" = experimental.yaml ]
}

@test "a report is filed as the suite wrote it, and its version is the commit" {
  conformance
  [ "$status" -eq 0 ]
  cmp "$work/report" "$checkout/conformance/reports/experimental.yaml"
  [[ "$(cat "$work/ran")" == *"--gateway-class=edge --conformance-profiles=GATEWAY-HTTP "*"--version=$(git -C "$checkout" rev-parse HEAD)"* ]]
}

@test "of a cluster of others it is said whose word the version is" {
  conformance
  [[ "$stderr" == *"$(git -C "$checkout" rev-parse HEAD): see that the images in that cluster are of this commit"* ]]
}

@test "a changed checkout is refused before anything runs, and so is a new file" {
  echo changed >>"$checkout/conformance/go.mod"
  conformance
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"commit first, or run \`make conformance-try\`"* ]]
  git -C "$checkout" checkout --quiet conformance/go.mod
  echo new >"$checkout/new"
  conformance
  [ "$status" -ne 0 ]
  [ ! -e "$work/ran" ]
  nothing_is_filed
}

@test "a changed checkout can be tried, and nothing is filed" {
  echo new >"$checkout/new"
  conformance --try
  [ "$status" -eq 0 ]
  [ -e "$work/ran" ]
  nothing_is_filed
  writes experimental failure 1
  conformance --try
  [ "$status" -eq 1 ]
}

@test "a suite that failed, or that wrote no report, has none filed" {
  writes experimental failure 1
  conformance
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"the suite failed; no report is filed"* ]]
  echo 'exit 0' >"$work/suite"
  conformance
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"the suite wrote no report"* ]]
  nothing_is_filed
}

@test "a cluster of another channel is told, and its report is not filed as this one's" {
  writes standard success
  conformance
  [ "$status" -ne 0 ]
  [[ "$stderr" == *"that cluster has the standard channel: say --channel standard"* ]]
  nothing_is_filed
  conformance --channel standard
  [ "$status" -eq 0 ]
  cmp "$work/report" "$checkout/conformance/reports/standard.yaml"
}

@test "a check takes another date and commit, and no other outcome" {
  conformance --check
  [ "$status" -eq 0 ]
  writes experimental partial
  conformance --check
  [ "$status" -ne 0 ]
  [[ "$output" == *"result: partial"* ]]
  nothing_is_filed
}

@test "make test knows of no cluster but its own" {
  echo 'STEP_LOGS=$WORK/logs; step() { :; }; run_steps() { echo "cluster ${KUBECONFIG-none} class ${GATEWAY_CLASS-none}"; }' >"$checkout/scripts/steps.sh"
  run "$checkout/scripts/test"
  [ "$output" = "cluster none class none" ]
}
