#!/bin/sh
# What a desktop_test runs: the runner, found in the runfiles.
exec tools/desktop/run "$@"
