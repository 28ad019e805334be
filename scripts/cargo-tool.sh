# shellcheck shell=bash
# Sourced, after toolchain.sh. Development tools that cargo installs, one pinned version each, outside of the checkout.

# cargo_tool NAME VERSION: installs it into the cache if it is not there, and puts it on the PATH
cargo_tool() {
  local root="$SHELLAC_CACHE/cargo-tools/$1-$2"
  if [ ! -x "$root/bin/$1" ]; then
    echo "installing $1 $2" >&2
    CARGO_TARGET_DIR="$SHELLAC_CACHE/cargo-tools/build" cargo install --quiet --locked --root "$root" --version "=$2" "$1" ||
      die "cannot install $1 $2"
    rm -rf "$SHELLAC_CACHE/cargo-tools/build"
  fi
  PATH="$root/bin:$PATH"
}
