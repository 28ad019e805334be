# shellcheck shell=bash
# Sourced by the parts of a bench. Collects verdicts and prints a page: what was measured, where, and whether limits were kept.

kept=() broken=()
# What the figures depend on: the page says if any of it was not as committed.
MEASURED=(ghost bench)
COMPILER=(rustc --version)

# limit WHAT VALUE MOST: notes whether the value is within the limit
limit() {
  if awk -v value="$2" -v most="$3" 'BEGIN { exit !(value != "" && value + 0 <= most + 0) }'; then
    kept+=("$1: $2 ≤ $3")
  else
    broken+=("$1: ${2:-nothing} > $3")
  fi
}

environment() {
  echo "| | |"
  echo "|---|---|"
  echo "| date | $(date -u +%Y-%m-%d) |"
  echo "| commit | $(git -C "$SHELLAC_HOME" rev-parse --short HEAD)$(git -C "$SHELLAC_HOME" diff --quiet HEAD -- "${MEASURED[@]}" ':!bench/results' || echo ', with changes') |"
  echo "| processor | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |"
  echo "| memory | $(awk '/MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo) |"
  # shellcheck disable=SC1091 # only the name of the system
  echo "| system | $(. /etc/os-release && echo "$PRETTY_NAME"), Linux $(uname -r | cut -d - -f 1) |"
  echo "| compiler | $("${COMPILER[@]}" | head -n 1) |"
  echo "| load when it began | $LOAD_AT_START |"
}
LOAD_AT_START=$(cut -d ' ' -f 1 /proc/loadavg)

# report TITLE PAGE: prints the page with its environment and verdict; fails if a limit was not kept
report() {
  echo "# $1"
  echo
  if [ "${#broken[@]}" = 0 ]; then
    echo "Verdict: all ${#kept[@]} limits are kept. Closest: $(closest)."
  else
    echo "Verdict: ${#broken[@]} of $((${#kept[@]} + ${#broken[@]})) limits are **not kept**: $(printf '%s; ' "${broken[@]}")"
  fi
  echo
  environment
  echo
  cat "$2"
  [ "${#broken[@]}" = 0 ]
}

# The three limits that were kept with the least room.
closest() {
  printf '%s\n' "${kept[@]}" | awk -F ': | ≤ ' '{ printf "%f\t%s\n", $2 / $3, $0 }' | sort -rn | head -n 3 | cut -f 2 | paste -s -d ';' | sed 's/;/; /g'
}
