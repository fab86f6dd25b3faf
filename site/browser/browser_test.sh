#!/usr/bin/env bash
# Opens pages in Debian's Chromium, headless, with a profile of its own.
#
#   browser_test.sh browser_test.mjs PAGES figures|any-figures
set -euo pipefail

driver=$1
pages=$2
figures=$3
packages=$PWD/external/playwright
[[ -d "$packages" ]] || packages=$(cd ../playwright && pwd)
state=$(cat "$packages/STATE")
if [[ "$state" != ok ]]; then
  echo "FAILED: the driver of the browser is not there: $state" >&2
  exit 1
fi
chromium=$(command -v chromium) || {
  echo "FAILED: chromium not found: run tools/setup --test" >&2
  exit 1
}
# Short, since a socket's path has an end: some hundred letters.
scratch=$(mktemp -d /tmp/browser.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
# Nothing of the person who runs this: neither a profile nor a session.
env -i PATH="$PATH" HOME="$scratch" XDG_RUNTIME_DIR="$scratch" TMPDIR="$scratch" \
  LC_ALL=C.UTF-8 PLAYWRIGHT="$packages/node_modules/playwright-core/index.js" \
  CHROMIUM="$chromium" SHOTS="${TEST_UNDECLARED_OUTPUTS_DIR:-$scratch}" \
  node "$driver" "$pages" "$figures"
