#!/usr/bin/env bash
# tools/lint on a repository made up here: clang-format and shellcheck are the
# real ones, Bazel and clang-tidy are made up.
set -euo pipefail

# shellcheck source=tools/ci/expect.sh
source tools/ci/expect.sh

# A copy, since tools/lint works on the repository that it lies in.
repository=$expect_dir/repository
mkdir -p "$repository/tools/ci" "$repository/ax"
cp -L tools/lint tools/setup "$repository/tools"
cp -L tools/ci/{bazel.sh,check_deps.py,check_text.py,compile_commands.py} \
  tools/ci/dependencies.sh "$repository/tools/ci"
cp -L .clang-format "$repository"
cd "$repository"
export HOME=$expect_dir GIT_CONFIG_NOSYSTEM=1
unset TACTUS_BAZEL_STARTUP
git init --quiet .
git config user.name test
git config user.email test@example.org

fake=$expect_dir/bin
mkdir "$fake"
cat >"$fake/bazel" <<'FAKE'
#!/usr/bin/env bash
case "$1" in
  info) echo /nowhere ;;
  query) echo "<query><rule class='cc_library' name='//ax:a'/></query>" ;;
  aquery)
    echo '{"actions": [{"arguments": ["clang", "-c", "ax/a.cc"]},'
    echo '             {"arguments": ["clang", "-c", "ax/b.cc"]}]}'
    ;;
esac
FAKE
# Finds something in a file that says so. Its arguments end with the file.
cat >"$fake/clang-tidy-19" <<'FAKE'
#!/usr/bin/env bash
echo "${!#}" >>"$tidied"
if grep -q BUG "${!#}"; then echo "${!#}:1:1: error: bug" && exit 1; fi
FAKE
chmod +x "$fake"/*
export PATH=$fake:$PATH
export tidied=$expect_dir/tidied

echo 'int A();' >ax/a.h
printf '#include "ax/a.h"\n\nint A() { return 1; }\n' >ax/a.cc
printf 'int B() { return 1; }\n' >ax/b.cc
printf '#!/bin/sh\necho ok\n' >tools/hello
printf 'system_library(\n    package = "git python3",\n)\n' >WORKSPACE
echo '/out/' >.gitignore
git add --all
git commit --quiet --message=start

lint() { tools/lint "$@"; }

# Usage.
expect_run 2 lint --frob
expect_run 2 lint --only
expect_run 2 lint --only taste
expect_run 2 lint --since no-such-revision
expect_text "git knows no such commit"
expect_run 0 lint --help

# A clean repository, all checks.
: >"$tidied"
expect_run 0 lint
expect_last "tools/lint: ok"
for check in format text shell rules tidy; do
  expect_text "lint $check: ok"
done
if [[ "$(sort "$tidied")" != $'ax/a.cc\nax/b.cc' ]]; then
  expect_failed "tidied is $(sort "$tidied")"
fi

# format, and --fix.
echo 'int   B();' >ax/b.h
expect_run 1 lint --only format
expect_text "ax/b.h:1:"
expect_text "tools/lint --fix --only format"
expect_run 0 lint --only format --fix
expect_run 0 lint --only format
rm ax/b.h

# text: new files are looked at, ignored and deleted ones are not.
echo "see /home/""anna/notes" >note.md
expect_run 1 lint --only text
expect_text "note.md:1:5: a path of one machine"
rm note.md
mkdir -p out
echo "see /home/""anna/notes" >out/note.md
git rm --quiet --cached tools/hello
mv tools/hello "$expect_dir/hello"
expect_run 0 lint --only text

# shell: a script without a suffix is known by its first line.
printf '#!/bin/sh\ncd /nowhere\n' >tools/hello
expect_run 1 lint --only shell
expect_text "SC2164"
mv "$expect_dir/hello" tools/hello
git add tools/hello
expect_run 0 lint --only shell

# rules: a library's package that tools/setup does not install.
sed -i 's/python3/libnothing-dev/' WORKSPACE
expect_run 1 lint --only rules
expect_text "WORKSPACE needs the package libnothing-dev"
git checkout --quiet WORKSPACE

# tidy: what it finds fails, and what others find is shown all the same.
echo '// BUG' >>ax/a.cc
echo '// BUG' >>ax/b.cc
expect_run 1 lint --only tidy
expect_text "ax/a.cc:1:1: error: bug"
expect_text "ax/b.cc:1:1: error: bug"
git checkout --quiet ax

# tidy --since: what changed, and what includes a header that did.
: >"$tidied"
expect_run 0 lint --only tidy --since HEAD
if [[ -s "$tidied" ]]; then expect_failed "something unchanged was tidied"; fi
echo 'int A2();' >>ax/a.h
expect_run 0 lint --only tidy --since HEAD
if [[ "$(cat "$tidied")" != ax/a.cc ]]; then
  expect_failed "tidied is $(cat "$tidied")"
fi
git checkout --quiet ax
: >"$tidied"
echo '// changed' >>ax/b.cc
expect_run 0 lint --only tidy --since HEAD
if [[ "$(cat "$tidied")" != ax/b.cc ]]; then
  expect_failed "tidied is $(cat "$tidied")"
fi

# tidy: a source that no target compiles.
echo 'int C() { return 1; }' >ax/c.cc
expect_run 1 lint --only tidy
expect_text "ax/c.cc: in no target of a BUILD.bazel file"
rm ax/c.cc

# All checks are run, and those that failed are named at the end.
echo 'int   B();' >ax/b.h
echo "see /home/""anna/notes" >note.md
expect_run 1 lint
expect_last "tools/lint: failed: format text"
expect_text "lint tidy: ok"

finish
