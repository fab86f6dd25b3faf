#!/usr/bin/env bash
# The official client drives `tactus mcp serve` on a private desktop.
#
#   client_test.sh client_test.mjs TACTUS TACTUSD
set -euo pipefail

driver=$1
tactus=$PWD/$2
tactusd=$PWD/$3
packages=$PWD/external/mcp_client
[[ -d "$packages" ]] || packages=$(cd ../mcp_client && pwd)
state=$(cat "$packages/STATE")
if [[ "$state" != ok ]]; then
  echo "FAILED: the client is not there: $state" >&2
  exit 1
fi
# Modules are looked for beside the file that asks for them, links resolved.
scratch=$(mktemp -d "$TACTUS_DESKTOP_DIR/client.XXXXXX")
cp "$driver" "$scratch/client_test.mjs"
ln -s "$packages/node_modules" "$scratch/node_modules"
exec node --preserve-symlinks "$scratch/client_test.mjs" "$tactus" "$tactusd"
