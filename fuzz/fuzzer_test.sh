#!/bin/bash
# Usage: fuzzer_test.sh blind|instrumented FUZZER
# What a fuzzer does at its start: built without counters it refuses, built with
# them it runs. The build says which of the two this one is.
set -euo pipefail

expected="$1"
fuzzer="$2"

fail() {
  echo "FAILED: $1" >&2
  echo "$output" >&2
  exit 1
}

export TMPDIR="$TEST_TMPDIR"
code=0
output="$("$fuzzer" --target=text --seeds=fuzz/corpus/text -runs=10 2>&1)" ||
  code=$?

case "$expected" in
  blind)
    [[ "$code" == 1 ]] || fail "exit code $code, not 1"
    [[ "$output" == *"built without coverage counters"* ]] ||
      fail "the reason is not named"
    [[ "$output" == *"bazel run --config=fuzz //fuzz:text -- "* ]] ||
      fail "the remedy is not named"
    ;;
  instrumented)
    [[ "$code" == 0 ]] || fail "exit code $code, not 0"
    [[ "$output" == *"files found in "*"/fuzz/corpus/text"* ]] ||
      fail "the corpus was not read"
    [[ "$output" == *"DONE"*" cov: "* ]] || fail "no coverage was counted"
    ;;
  *)
    output=""
    fail "no such expectation: $expected"
    ;;
esac
