#!/usr/bin/env bash
# Usage: clusterfuzzlite_test.sh BUILD_SCRIPT
# What the build script puts into $OUT, with a Bazel that only says what it was
# asked for.
set -euo pipefail

script=$PWD/$1
dir=$TEST_TMPDIR

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

mkdir -p "$dir/src/tactus/fuzz/corpus"/{text,ax_server,planted} "$dir/out" \
  "$dir/bin/fuzz" "$dir/path"
echo a >"$dir/src/tactus/fuzz/corpus/text/seed one"
echo b >"$dir/src/tactus/fuzz/corpus/ax_server/seed"
echo c >"$dir/src/tactus/fuzz/corpus/planted/seed"
echo program >"$dir/bin/fuzz/text"
echo program >"$dir/bin/fuzz/ax_server"
cat >"$dir/path/bazel" <<SCRIPT
#!/usr/bin/env bash
if [[ "\$1" == info ]]; then echo "$dir/bin"; else echo "\$*" >>"$dir/asked"; fi
SCRIPT
chmod +x "$dir/path/bazel"

SRC=$dir/src OUT=$dir/out PATH=$dir/path:$PATH "$script"

[[ "$(cat "$dir/asked")" == "build --config=fuzz --dynamic_mode=off -- \
//fuzz:ax_server //fuzz:text" ]] || fail "built: $(cat "$dir/asked")"
got=$(cd "$dir/out" && printf '%s ' *)
[[ "$got" == "ax_server ax_server.options ax_server_seed_corpus.zip text \
text.options text_seed_corpus.zip " ]] || fail "packaged: $got"
[[ -x "$dir/out/text" ]] || fail "the program cannot be run"
python3 -m zipfile -l "$dir/out/text_seed_corpus.zip" | grep -q 'seed one' ||
  fail "the corpus is not in its archive"

if OUT='' SRC=$dir/src "$script" 2>/dev/null; then fail "no folder, no error"; fi
