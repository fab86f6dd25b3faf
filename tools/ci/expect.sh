# shellcheck shell=bash
# What the tests of our scripts share: sourced by them.
#
#   expect_run CODE COMMAND...   runs it, keeping its output in $output
#   expect_line LINE             $output has this line
#   expect_text TEXT             $output holds this
#   expect_last LINE             the last line of the command's stdout
#   expect_no TEXT               $output does not hold this
#   finish                       exits 1 if anything was not as expected
#
# A failure names the caller's line and shows the output, and the test goes on.

expect_failures=0
expect_dir=$(mktemp -d)
trap 'rm -rf "$expect_dir"' EXIT

expect_failed() {
  echo "line ${BASH_LINENO[1]}: $1; the output was:" >&2
  printf '  | %s\n' "${output//$'\n'/$'\n  | '}" >&2
  expect_failures=$((expect_failures + 1))
}

expect_run() {
  local want=$1 code=0
  shift
  "$@" >"$expect_dir/stdout" 2>"$expect_dir/stderr" || code=$?
  output=$(cat "$expect_dir/stdout" "$expect_dir/stderr")
  if ((code != want)); then
    expect_failed "'$*' exited $code, not $want"
  fi
}

expect_line() {
  grep -qxF -- "$1" <<<"$output" || expect_failed "no line '$1'"
}

expect_text() {
  grep -qF -- "$1" <<<"$output" || expect_failed "'$1' is not there"
}

expect_no() {
  if grep -qF -- "$1" <<<"$output"; then expect_failed "'$1' is there"; fi
}

expect_last() {
  local last
  last=$(tail -n 1 "$expect_dir/stdout")
  [[ "$last" == "$1" ]] || expect_failed "the last line is '$last', not '$1'"
}

finish() {
  if ((expect_failures > 0)); then
    echo "$expect_failures expectations failed" >&2
    exit 1
  fi
}
