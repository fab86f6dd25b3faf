#!/usr/bin/env bash
# tools/test and .ci/run against a made-up Bazel: what they run, what they count
# and how they exit.
set -euo pipefail

# shellcheck source=tools/ci/expect.sh
source tools/ci/expect.sh

fake=$expect_dir/bin
calls=$expect_dir/calls
mkdir "$fake"
export calls fake expect_dir
unset TACTUS_BAZEL_STARTUP
export TACTUS_DISK_CACHE=$expect_dir/cache

# tools/setup finds nothing missing, unless told.
cat >"$fake/dpkg-query" <<'FAKE'
#!/usr/bin/env bash
if [[ -n "${setup_fails:-}" ]]; then exit 1; fi
for package in "$@"; do echo "$package installed"; done
FAKE
printf '#!/bin/sh\nexit 1\n' >"$fake/apt-get"
printf '#!/bin/sh\n' >"$fake/sleep"
# Tests tagged threads exist if $threads, the others always do. A run has one
# case; it fails in the configuration $fails, and in $dies Bazel cannot start.
cat >"$fake/bazel" <<'FAKE'
#!/usr/bin/env bash
echo "bazel $*" >>"$calls"
case "$*" in
  *--output=xml*)
    echo "<query><rule class='cc_library' name='//ax:a'>"
    if [[ -n "${rule_broken:-}" ]]; then
      echo "<rule-input name='//ledger:b'/>"
    fi
    echo "</rule></query>"
    exit
    ;;
  "query "*threads*)
    if [[ -n "${threads:-}" ]]; then echo "//ax:threads_test"; fi
    exit
    ;;
  "query "*)
    echo "//ax:t"
    exit
    ;;
esac
config=default
for argument in "$@"; do
  case "$argument" in
    --build_event_json_file=*) events=${argument#*=} ;;
    --config=*) config=${argument#*=} ;;
  esac
done
if [[ "$config" == "${dies:-}" ]]; then exit 2; fi
status=PASSED
inside=
code=0
if [[ "$config" == "${fails:-}" ]]; then
  status=FAILED
  inside="<failure/>"
  code=3
fi
echo "<testsuite><testcase name='A'>$inside</testcase></testsuite>" \
  >"$expect_dir/$config.xml"
cat >"$events" <<EVENTS
{"id":{"testResult":{"label":"//ax:t"}},"testResult":{"testActionOutput":[{"name":"test.xml","uri":"file://$expect_dir/$config.xml"}]}}
{"id":{"testSummary":{"label":"//ax:t"}},"testSummary":{"overallStatus":"$status"}}
{"id":{"progress":{}},"lastMessage":true}
EVENTS
exit "$code"
FAKE
chmod +x "$fake"/*
export PATH=$fake:$PATH

expect_calls() {
  local count
  count=$(grep -c -e "$2" "$calls" || true)
  [[ "$count" == "$1" ]] ||
    expect_failed "bazel was called $count times with '$2', not $1"
}
reset() { : >"$calls"; }

# tools/test: everything is built, all but `full` is run; the dependency rules
# are one case.
expect_run 2 tools/test --all
reset
expect_run 0 tools/test
expect_last "2 passed, 0 failed"
expect_calls 1 "^bazel test .*--disk_cache=$expect_dir/cache .*--nobuild_tests_only --test_tag_filters=-full //\.\.\.$"
fails=default expect_run 1 tools/test
expect_line "FAILED: //ax:t A"
expect_last "1 passed, 1 failed"

# Bazel that cannot start, and a machine that lacks a package, are no pass.
dies=default expect_run 1 tools/test
expect_last "1 passed, 1 failed"
reset
setup_fails=1 expect_run 1 tools/test
expect_last "0 passed, 1 failed"
expect_calls 0 "^bazel test"

# A broken rule fails, and the tests are run all the same.
rule_broken=1 expect_run 1 tools/test
expect_line "//ax:a depends on //ledger:b: ax may depend on nothing of ours"
expect_last "1 passed, 1 failed"

# --full: all tests in three configurations, up to the first that fails.
reset
expect_run 0 tools/test --full
expect_last "4 passed, 0 failed"
expect_calls 1 "test .*--nobuild_tests_only //\.\.\.$"
expect_calls 1 "test .*--config=asan --test_tag_filters=-noasan //\.\.\.$"
expect_calls 1 "test .*--config=tsan --test_tag_filters=-notsan //\.\.\.$"
reset
fails=asan expect_run 1 tools/test --full
expect_last "2 passed, 1 failed"
expect_calls 0 "config=tsan"

# .ci/run: three tiers; one that has no test yet says so and is no failure.
expect_run 2 .ci/run --fast
reset
expect_run 0 .ci/run
expect_text "tier 3 (tsan: tests tagged threads): there is no such test yet"
expect_text "tier 2 (asan: core, decoders, mock): 1 passed, 0 failed, in "
expect_last "3 passed, 0 failed"
expect_calls 1 "^bazel test .*--config=asan --target_pattern_file="
expect_calls 0 "config=tsan"
reset
threads=1 expect_run 0 .ci/run
expect_last "4 passed, 0 failed"
expect_calls 1 "^bazel test .*--config=tsan --target_pattern_file="

# .ci/run stops at the first tier that fails.
reset
fails=default expect_run 1 .ci/run
expect_last "1 passed, 1 failed"
expect_calls 0 "config=asan"
reset
threads=1 fails=asan expect_run 1 .ci/run
expect_last "2 passed, 1 failed"
expect_calls 0 "config=tsan"
threads=1 dies=tsan expect_run 1 .ci/run
expect_last "3 passed, 1 failed"

# Startup options of one's own come before the command.
reset
TACTUS_BAZEL_STARTUP="--output_base=/o --batch" expect_run 0 tools/test
expect_calls 2 "^bazel --output_base=/o --batch "

finish
