# shellcheck shell=bash
# Sourced. Finds the compilers wherever they are and puts the right ones first, for this process and its children.

# A failure inside of $(…) ends the script, too.
shopt -s inherit_errexit

SHELLAC_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SHELLAC_CACHE=${SHELLAC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/shellac}
export SHELLAC_HOME SHELLAC_CACHE

readonly NEED_JAVA=25 NEED_GO=1.26 NEED_RUST=1.85

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# at_least 1.95.0 1.85: whether the first version is not older than the second
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

java_version() { [ -x "$1/bin/javac" ] && "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p'; }

# Exactly this release: a newer compiler has other warnings, and warnings are errors here.
use_java() {
  local dir
  for dir in "${JAVA_HOME:-}" "$(dirname "$(dirname "$(readlink -f "$(command -v javac || echo /none/none/none)")")")" \
    /usr/lib/jvm/* /opt/*jdk* /opt/java/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
    if [ -n "$dir" ] && [ "$(java_version "$dir")" = "$NEED_JAVA" ]; then
      export JAVA_HOME=$dir PATH="$dir/bin:$PATH"
      return 0
    fi
  done
  return 1
}

use_go() {
  local dir version
  for dir in "${GOROOT:+$GOROOT/bin}" "$(dirname "$(command -v go || echo /none/none)")" /usr/local/go/bin /usr/lib/go-*/bin \
    /usr/lib/go/bin "$HOME"/go/bin "$HOME"/sdk/go*/bin; do
    if [ -z "$dir" ] || [ ! -x "$dir/go" ]; then continue; fi
    version=$(cd / && GOTOOLCHAIN=local "$dir/go" env GOVERSION)
    if at_least "${version#go}" "$NEED_GO"; then
      export PATH="$dir:$PATH"
      return 0
    fi
  done
  return 1
}

use_rust() {
  local dir version
  for dir in "$(dirname "$(command -v cargo || echo /none/none)")" "${CARGO_HOME:-$HOME/.cargo}/bin" /usr/local/cargo/bin \
    /usr/lib/rust-*/bin; do
    if [ ! -x "$dir/cargo" ] || [ ! -x "$dir/rustc" ]; then continue; fi
    version=$("$dir/rustc" --version 2>/dev/null | cut -d ' ' -f 2)
    if [ -n "$version" ] && at_least "${version%%-*}" "$NEED_RUST"; then
      export PATH="$dir:$PATH"
      return 0
    fi
  done
  return 1
}

need_java() { use_java || die "no JDK $NEED_JAVA found (JAVA_HOME, PATH, /usr/lib/jvm): install Temurin $NEED_JAVA or the package openjdk-$NEED_JAVA-jdk-headless, or set JAVA_HOME"; }
need_go() { use_go || die "no Go $NEED_GO or newer found (GOROOT, PATH, /usr/local/go): unpack the official release into /usr/local/go, or set GOROOT"; }
need_rust() { use_rust || die "no Rust $NEED_RUST or newer found (PATH, ~/.cargo/bin): install it with rustup"; }

# build_rust [FLAGS OF cargo build]: the release, which is the same wherever the checkout and the crates are. Between the flags is a character
# that no path has.
build_rust() {
  CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$SHELLAC_HOME/="$'\x1f'"--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src/=crates/" \
    cargo build --quiet --release --locked --manifest-path "$SHELLAC_HOME/ghost/Cargo.toml" "$@"
}

# go_tool NAME: builds one of the project's own Go programs into build/bin, if its sources changed since
go_tool() {
  local out="$SHELLAC_HOME/build/bin/$1" changed log
  if [ -x "$out" ]; then
    changed=$(find "$SHELLAC_HOME/dev/cluster" -path "$SHELLAC_HOME/dev/cluster/parts" -prune -o -type f ! -name '*_test.go' -newer "$out" -print -quit)
    [ -n "$changed" ] || return 0
  fi
  need_go
  mkdir -p "${out%/*}"
  echo "building $1" >&2
  # Beside it, then in its place: the old one may be running, or another process may be building it, too.
  log=$(cd "$SHELLAC_HOME/dev/cluster" &&
    CGO_ENABLED=0 GOTOOLCHAIN=auto go build -trimpath -buildvcs=false -ldflags '-s -w -buildid=' -o "$out.$$" "./cmd/$1" 2>&1) ||
    die "cannot build $1: $(grep -v '^go: downloading' <<<"$log" | head -n 1)"
  touch "$out.$$"
  mv "$out.$$" "$out"
}
