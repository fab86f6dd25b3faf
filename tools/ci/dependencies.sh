#!/usr/bin/env bash
# Holds the rules of who may depend on whom, on the build graph as it is now.
# It asks Bazel for the graph, so it cannot be a Bazel test itself; a genquery
# would have to name every target, and miss the one that nobody named.
# `tools/test` runs it as one test case, `tools/lint` as one of its checks.
#
# Exit codes: 0 every edge is allowed, 1 one is not, 2 the graph cannot be read.
set -euo pipefail

# shellcheck source=tools/ci/bazel.sh
source "$(dirname "${BASH_SOURCE[0]}")/bazel.sh"

graph=$(mktemp)
trap 'rm -f "$graph"' EXIT
if ! tactus_bazel query --noimplicit_deps --xml:default_values --output=xml \
  //... >"$graph"; then
  echo "dependencies: bazel query //... failed, see above" >&2
  exit 2
fi
python3 "$tactus_root/tools/ci/check_deps.py" <"$graph"
