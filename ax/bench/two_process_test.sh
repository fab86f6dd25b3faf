#!/usr/bin/env bash
# Usage: two_process_test.sh TWO_PROCESS MOCK_PROCESS
# That the benchmark measures what it says, in a few rounds, and how many trips a
# snapshot makes; never how long anything takes.
set -euo pipefail

benchmark=$1
mock=$2

fail() {
  echo "FAILED: $1" >&2
  echo "${output:-}" >&2
  exit 1
}

# expect CODE ARGUMENT...
expect() {
  local code=0
  output=$("$benchmark" "${@:2}" 2>&1) || code=$?
  [[ "$code" == "$1" ]] || fail "${*:2}: exit code $code, not $1"
}

expect 0 --mock "$mock" --rounds 5
for line in \
  "in turn                   11 trips" \
  "batched                    4 trips" \
  "batched, probes alone      6 trips"; do
  [[ "$output" == *"$line"* ]] || fail "not '$line'"
done
for series in resolve.system_wide resolve.window_list resolve.element \
  resolve.both read.one read.five.batched read.five.in_turn probe write \
  snapshot.in_turn snapshot.batched snapshot.probes_alone snapshot.cached \
  cold.application cold.element cold.snapshot share.batched \
  share.probes_alone; do
  grep -Eq "^$series +[0-9.]+ (us|ratio)  \(median of [0-9]+\)$" \
    <<<"$output" || fail "no $series"
done

[[ "$output" == *"batching saves >= 28 %: "*"NOT MEASURED: too few samples"* ]] ||
  fail "five samples were judged"

expect 2 --what
expect 2
expect 1 --mock "$mock.missing"
