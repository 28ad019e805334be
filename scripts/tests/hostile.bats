#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats sets
# The attacks' names, and the page of a run. The attacks themselves need a cluster.

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || exit
  log=$BATS_TEST_TMPDIR/log
}

@test "every attack has a name of its own" {
  run scripts/test-hostile --list
  [ "$status" -eq 0 ]
  [[ $output == *hung-backend* && $output == *huge-route* ]]
  [ "$(sort <<<"$output" | uniq --repeated)" = "" ]
  [ "$(wc -l <<<"$output")" = "$(sed --quiet '/^var clientAttacks/,/^}/p; /^var tenantAttacks/,/^}$/p' dev/cluster/gateway/attacks_*_test.go | grep --count '^	["{]')" ]
}

@test "an attack that nobody knows is refused" {
  run scripts/test-hostile paths nothing-of-the-kind
  [ "$status" -eq 2 ]
  [[ $output == *"no attack is called nothing-of-the-kind"* ]]
}

@test "the page of a run names what failed, and why, and what did not run" {
  cat >"$log" <<'END'
=== RUN   TestNobodyIsHarmedByANeighbour
measured: no attack, over HTTP: p99 3 ms
=== RUN   TestNobodyIsHarmedByANeighbour/paths
measured: paths: 240 clients or requests, 0.04 of a core
measured: paths, over HTTP: 4800 requests in 24 s, 0 failed
measured: paths, over HTTP: p99 5 ms of at most 50
=== RUN   TestNobodyIsHarmedByANeighbour/slow-heads
measured: slow-heads: 240 clients or requests, 0.40 of a core
    load_test.go:240: slow-heads, over HTTP: of 4800 requests these failed
    pods_test.go:200: the end of a log
    hostile_test.go:76: pod echo-1 on node-1: Running
    hostile_test.go:76:   00:08:01 Started Pod/echo-1: Container started (1 times)
measured: slow-heads, over HTTP: 4800 requests in 24 s, 7 failed
measured: slow-heads, over HTTP: p99 1500 ms of at most 50
--- FAIL: TestNobodyIsHarmedByANeighbour (50.00s)
    --- PASS: TestNobodyIsHarmedByANeighbour/paths (25.00s)
    --- FAIL: TestNobodyIsHarmedByANeighbour/slow-heads (25.00s)
END
  run scripts/test-hostile --page "$log"
  [ "$status" -eq 1 ]
  [[ $output == *"| commit | "* ]]
  [[ $output == *"slow-heads, over HTTP, failed requests: 7 > 0"* ]]
  [[ $output == *"slow-heads, over HTTP, p99 in ms: 1500 > 50"* ]]
  [[ $output == *"slow-heads, attackers in cores: 0.40 > 0.3"* ]]
  [[ $output == *"the attack slow-heads is not withstood"* ]]
  [[ $output == *"the attack methods has not run"* ]]
  [[ $output != *"the attack paths"* ]]
  [[ $output == *"slow-heads, over HTTP: of 4800 requests these failed"* ]]
  [[ $output != *"the end of a log"* ]]
  [[ $output != *"echo-1"* ]]
  [[ $output == *"no attack, over HTTP: p99 3 ms"* ]]
}
