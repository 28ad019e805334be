# shellcheck shell=bash
# Sourced by tests that run the operator, as scripts/test-java has built it, beside a real API server: a cluster called $NAME that goes when the
# script ends, the operator in its network, and checks that are counted. Its gateway pods have no image; what they serve is others' to test.
: "${NAME:?the name of the cluster}"
work=$(mktemp -d)
operator=
passed=0

end() {
  stop || true
  bin/cluster down --name "$NAME" || true
  rm -rf "$work"
}
trap end EXIT

kubectl() { bin/cluster kubectl --name "$NAME" "$@"; }

# What it says is in $work/log, what it exposes at ports that begin with $at; $more are arguments beside those. Where there are $settings, such as
# LOG_LEVEL=debug, it is told everything by these alone.
at=808 more=() settings=()
start() {
  local arguments=(--metrics-addr "127.0.0.1:${at}0" --health-probe-addr "127.0.0.1:${at}1" "${more[@]}")
  [ "${#settings[@]}" = 0 ] || arguments=()
  # shellcheck disable=SC2086 # the jar has a version in its name
  bin/cluster exec --name "$NAME" -- env "${settings[@]}" "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -cp "$(echo apps/operator/target/shellac-operator-*.jar):apps/operator/target/lib/*" dev.shellac.operator.Main \
    "${arguments[@]}" >>"$work/log" 2>&1 &
  operator=$!
}

stop() {
  [ -n "$operator" ] || return 0
  kill "$operator"
  wait "$operator" || true
  operator=
}

ok() {
  passed=$((passed + 1))
  echo "ok $passed $1"
}

# check WORDS COMMAND…: the command comes true within a minute; a busy machine is slow, not wrong
check() {
  local words=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 40 "$work/log" >&2
      die "not so: $words"
    fi
    sleep 0.1
  done
  ok "$words"
}

# says KIND NAMESPACE NAME JSONPATH WORDS
says() { [ "$(kubectl get "$1" --namespace "$2" "$3" --output "jsonpath=$4")" = "$5" ]; }
condition() { echo "{$1.conditions[?(@.type==\"$2\")].status}"; }
# One request must answer, and it must be this one.
serves() { bin/cluster exec --name "$NAME" -- curl --silent --fail "http://127.0.0.1:$1"; }
