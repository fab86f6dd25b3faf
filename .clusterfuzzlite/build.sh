#!/usr/bin/env bash
# Packages the fuzzers for ClusterFuzzLite: a program and an archive of its
# corpus for each target, in $OUT. The sanitizer and the engine are those of
# --config=fuzz, whatever $CXX and $CXXFLAGS say: the tree is built with one
# compiler, and libFuzzer comes from the same.
#
# $SRC/tactus is the tree. Exit codes: 0 packaged; 1 not.
set -euo pipefail

: "${OUT:?the folder for what is built}"
cd "${SRC:?the folder that holds the tree}/tactus"

targets=()
for folder in fuzz/corpus/*/; do
  name=$(basename "$folder")
  # The bug that the campaign's test looks for.
  [[ "$name" == planted ]] || targets+=("$name")
done

# Each program by itself, without the libraries that Bazel would load.
bazel build --config=fuzz --dynamic_mode=off -- "${targets[@]/#///fuzz:}"
bin=$(bazel info --config=fuzz bazel-bin)

for name in "${targets[@]}"; do
  install -m 755 "$bin/fuzz/$name" "$OUT/$name"
  (cd "fuzz/corpus/$name" &&
    python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
  printf '[libfuzzer]\ntimeout = 20\nrss_limit_mb = 2048\n' >"$OUT/$name.options"
done
