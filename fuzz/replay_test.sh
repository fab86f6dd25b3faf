#!/bin/bash
# Usage: replay_test.sh REPLAY_BINARY
# The replay of a corpus must never pass on nothing.
set -euo pipefail

replay="$1"
dir="$TEST_TMPDIR"

# expect CODE TEXT ARGUMENT...: the replay ends with CODE and prints TEXT.
expect() {
  local code=0 output
  output="$("$replay" "${@:3}" 2>&1)" || code=$?
  if [[ "$code" != "$1" || "$output" != *"$2"* ]]; then
    echo "FAILED: replay ${*:3}: exit code $code, not $1; or no '$2' in:" >&2
    echo "$output" >&2
    exit 1
  fi
}

expect 2 "usage:"

expect 1 "No such file or directory" "$dir/missing"

mkdir -p "$dir/empty/below" "$dir/some/below"
expect 1 "the corpus is empty" "$dir/empty"

printf 'a' >"$dir/some/one"
: >"$dir/some/nothing"
printf 'b' >"$dir/some/below/two"
ln -s "$dir/some/one" "$dir/some/link"
expect 0 "4 inputs replayed" "$dir/some"
expect 0 "1 inputs replayed" "$dir/some/one"
expect 1 "the corpus is empty" "$dir/some" "$dir/empty"

ln -s "$dir/nowhere" "$dir/some/dangling"
expect 1 "No such file or directory" "$dir/some"
