# shellcheck shell=bash
# Runs tiers of tests and adds up their cases: sourced by tools/test and
# .ci/run. Brings bazel.sh with it.
#
#   run_tier NAME BAZEL_ARGUMENTS...   one `bazel test`
#   run_tier_of NAME QUERY BAZEL_ARGUMENTS...
#                                      the same, on the targets of a query,
#                                      which may have none yet
#   add_tier NAME PASSED FAILED SECONDS
#                                      what another command counted
#   finish_tiers                       the last line, and the exit code
#
# The first three return 1 when a case failed.

# shellcheck source=tools/ci/bazel.sh
source "$(dirname "${BASH_SOURCE[0]}")/bazel.sh"

tiers_passed=0
tiers_failed=0

# A directory for this run alone, also for what the caller keeps.
tiers_scratch=$(mktemp -d)
trap 'rm -rf "$tiers_scratch"' EXIT

add_tier() {
  local name=$1 passed=$2 failed=$3 seconds=$4
  tiers_passed=$((tiers_passed + passed))
  tiers_failed=$((tiers_failed + failed))
  printf '%s: %d passed, %d failed, in %dm%02ds\n' \
    "$name" "$passed" "$failed" $((seconds / 60)) $((seconds % 60))
  ((failed == 0))
}

# Sets `passed` and `failed` of the caller from the last line of a count. What
# is no count is one failure: whoever should have counted did not.
parse_count() {
  if [[ "$1" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=${BASH_REMATCH[1]}
    failed=${BASH_REMATCH[2]}
  else
    passed=0
    failed=1
  fi
}

run_tier() {
  local name=$1
  shift
  local started=$SECONDS code=0 counted passed failed
  local events=$tiers_scratch/events.json
  rm -f "$events"
  echo "$name: bazel test $*"
  tactus_bazel test --keep_going --build_event_json_file="$events" "$@" ||
    code=$?
  counted=$(python3 "$tactus_root/tools/ci/count_cases.py" \
    --exit-code "$code" "$events") || true
  parse_count "${counted##*$'\n'}"
  # All but the last line: what failed, by name.
  if [[ "$counted" == *$'\n'* ]]; then echo "${counted%$'\n'*}"; fi
  add_tier "$name" "$passed" "$failed" $((SECONDS - started))
}

run_tier_of() {
  local name=$1 query=$2
  shift 2
  local targets=$tiers_scratch/targets
  if ! tactus_bazel query "$query" >"$targets"; then
    echo "$name: bazel query failed, see above: $query"
    add_tier "$name" 0 1 0
    return
  fi
  if [[ ! -s "$targets" ]]; then
    echo "$name: there is no such test yet: $query"
    add_tier "$name" 0 0 0
    return
  fi
  run_tier "$name" "$@" --target_pattern_file="$targets"
}

finish_tiers() {
  if ((tiers_passed == 0 && tiers_failed == 0)); then
    echo "no test was run, and that is no pass"
    tiers_failed=1
  fi
  echo "$tiers_passed passed, $tiers_failed failed"
  ((tiers_failed == 0))
}
