#!/bin/sh
# What `tactus` does where there is no desktop: exit codes and the two streams.
#
#   command_test.sh TACTUS
set -u
tactus=$1
out=$TEST_TMPDIR/out
err=$TEST_TMPDIR/err
failed=0

fail() {
  echo "FAILED: $1" >&2
  sed 's/^/  out: /' "$out" >&2
  sed 's/^/  err: /' "$err" >&2
  failed=1
}

# expect CODE WHAT ARGUMENTS...: runs without any environment.
expect() {
  wanted=$1
  what=$2
  shift 2
  env -i "$tactus" "$@" >"$out" 2>"$err"
  code=$?
  if [ "$code" -ne "$wanted" ]; then fail "$what: exit code $code"; fi
}

only_err() {
  if [ -s "$out" ]; then fail "$1: something on standard output"; fi
  if ! [ -s "$err" ]; then fail "$1: nothing on standard error"; fi
}

for wrong in "" "nonsense" "snapshot --nonsense" "snapshot --in 3" \
  "snapshot --deadline 0s" "snapshot --max-text 0" "watch --count 0" \
  "apps extra" "doctor --launcher-override a/b" "replace --range 1 a" \
  "replace --range 3:1 a" "replace --range 1:3 --old b a" \
  "insert --snapshot nonsense a" "set two words" "undo extra" \
  "stream --when-moved nonsense" "stream --hold-for 3" "stream extra"; do
  # shellcheck disable=SC2086 # Each is a list of words.
  expect 2 "usage: $wrong" $wrong
  only_err "usage: $wrong"
done

for command in snapshot "snapshot --json" watch apps "replace sesame" \
  "replace --range 1:3 --json sesame" "insert sesame" "set sesame" insert \
  undo "undo --json" stream; do
  # shellcheck disable=SC2086
  expect 3 "no desktop: $command" $command </dev/null
  only_err "no desktop: $command"
  grep -q DBUS_SESSION_BUS_ADDRESS "$err" || fail "$command: no remedy"
  grep -q sesame "$err" && fail "$command: its text is on standard error"
done

for command in status "status --json" pause resume; do
  # shellcheck disable=SC2086
  expect 3 "no daemon: $command" $command
  only_err "no daemon: $command"
  grep -q 'start .tactusd.' "$err" || fail "$command: no remedy"
done

# An edit whose text cannot be had is none, and is not one of half a text.
expect 1 "standard input that cannot be read" insert </
only_err "standard input that cannot be read"
head -c 33554433 /dev/zero | env -i "$tactus" insert >"$out" 2>"$err"
[ $? -eq 2 ] || fail "too much text is no usage"
only_err "too much text"
grep -q "more than 33554432 bytes" "$err" || fail "too much text is not told"

# What keeps the clipboard is no command of users. Started by one, it has
# nothing to keep, says nothing and holds nobody up.
expect 0 "keeper without a clipboard" keep-clipboard 3>&- 4>&-
[ -s "$out" ] && fail "keeper without a clipboard: it says something"
expect 0 "--help" --help
grep -q keep-clipboard "$out" && fail "the keeper is offered to users"

# The doctor's result is the list of what is missing.
expect 3 "doctor without a desktop" doctor
grep -q "^missing  session bus" "$out" || fail "doctor names no session bus"
grep -q "^missing  display" "$out" || fail "doctor names no display"
expect 3 "doctor without a desktop" doctor --json
grep -q '"ok":false' "$out" || fail "doctor calls it ok"

for help in --help "snapshot --help" "watch --help" "apps --help" \
  "doctor --help" "replace --help" "insert --help" "set --help" "undo --help" \
  "stream --help" "status --help" --version; do
  # shellcheck disable=SC2086
  expect 0 "$help" $help
  [ -s "$out" ] || fail "$help: nothing on standard output"
  [ -s "$err" ] && fail "$help: something on standard error"
done

mkdir -p "$TEST_TMPDIR/home/.local/share/applications"
echo "Exec=app %U" >"$TEST_TMPDIR/home/.local/share/applications/app.desktop"
env -i HOME="$TEST_TMPDIR/home" "$tactus" doctor --launcher-override app \
  >"$out" 2>"$err" || fail "launcher override: exit code $?"
[ "$(cat "$out")" = "Exec=app --force-renderer-accessibility %U" ] ||
  fail "launcher override is another"
expect 1 "launcher that is not there" doctor --launcher-override no-such-app
only_err "launcher that is not there"

# A result that could not be written is no success.
env -i "$tactus" --help >/dev/full 2>"$err"
[ $? -eq 1 ] || fail "full device is no failure"

exit "$failed"
