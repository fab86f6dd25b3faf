#!/usr/bin/env bash
# serve.py answers with pages, says where, and ends on SIGTERM.
set -euo pipefail

serve=$1
scratch=$(mktemp -d "${TEST_TMPDIR:-/tmp}/serve.XXXXXX")
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

mkdir "$scratch/site"
code=0
"$serve" "$scratch/site" 2>"$scratch/error" || code=$?
((code == 1)) || fail "a folder without pages: exit $code"
grep -q 'has no index.html' "$scratch/error" || fail "does not say what is missing"

echo '<p>hello</p>' >"$scratch/site/index.html"
"$serve" "$scratch/site" >"$scratch/address" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
# It prints its address once it listens; ten seconds are for a busy machine.
for ((i = 0; i < 100; ++i)); do
  [[ -s "$scratch/address" ]] && break
  sleep 0.1
done
address=$(cat "$scratch/address")
[[ "$address" == http://127.0.0.1:*/ ]] || fail "the address is '$address'"
got=$(python3 -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())' "$address")
[[ "$got" == *hello* ]] || fail "the page is '$got'"

code=0
"$serve" "$scratch/site" --port "${address//[!0-9:]/}" 2>/dev/null || code=$?
((code == 2)) || fail "a port that is no number: exit $code"
port=${address##*:}
port=${port%/}
code=0
"$serve" "$scratch/site" --port "$port" 2>"$scratch/error" || code=$?
((code == 1)) || fail "a port that is taken: exit $code"
grep -q 'choose another' "$scratch/error" || fail "does not say what to do"

kill -TERM "$server"
code=0
wait "$server" || code=$?
((code == 0)) || fail "SIGTERM: exit $code"
echo "PASSED"
