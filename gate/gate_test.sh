#!/usr/bin/env bash
# A gate with its options, as a test: its exit code is the test's.
set -euo pipefail
exec "$@"
