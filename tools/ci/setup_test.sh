#!/usr/bin/env bash
# tools/setup against a made-up dpkg and apt: nothing here installs anything.
set -euo pipefail

# shellcheck source=tools/ci/expect.sh
source tools/ci/expect.sh

fake=$expect_dir/bin
state=$expect_dir/installed
calls=$expect_dir/calls
mkdir "$fake"
touch "$state" "$calls"
export state calls

# Knows what $state lists; $removed was removed, its settings kept.
cat >"$fake/dpkg-query" <<'FAKE'
#!/usr/bin/env bash
printf '%s\n' "$@" | grep -xF -f "$state" | sed 's/$/ installed/'
if [[ -n "${fake_removed:-}" ]]; then echo "$fake_removed config-files"; fi
exit 1
FAKE
cat >"$fake/apt-get" <<'FAKE'
#!/usr/bin/env bash
echo "apt-get $*" >>"$calls"
case "$1" in
  update) exit "${fake_update_exits:-0}" ;;
  install)
    if ((${fake_install_exits:-0} != 0)); then exit "$fake_install_exits"; fi
    for package in "$@"; do
      if [[ "$package" != "${fake_never:-}" ]]; then echo "$package"; fi
    done >>"$state"
    ;;
esac
FAKE
cat >"$fake/apt-cache" <<'FAKE'
#!/usr/bin/env bash
for package in "$@"; do
  if [[ "$package" != "${fake_unknown:-}" ]]; then echo "Package: $package"; fi
done
exit 100
FAKE
cat >"$fake/sudo" <<'FAKE'
#!/usr/bin/env bash
echo "sudo" >>"$calls"
exec "$@"
FAKE
# Nobody waits for the second try here.
printf '#!/bin/sh\n' >"$fake/sleep"
chmod +x "$fake"/*
export PATH=$fake:$PATH

setup() { tools/setup "$@"; }
reset() {
  : >"$state"
  : >"$calls"
}

# Usage.
expect_run 2 setup
expect_run 2 setup --check
expect_run 2 setup --demo
expect_text "no such option: --demo"
expect_run 2 setup --build --test
expect_run 0 setup --help
expect_last "installed; 2 usage."

# --check reports and installs nothing.
expect_run 1 setup --runtime --check
expect_text "libsystemd0"
expect_text "tools/setup --runtime"
[[ ! -s "$calls" ]] || expect_failed "--check called apt-get"

# A level installs what is missing, once.
expect_run 0 setup --runtime
expect_text "are missing"
grep -q "^apt-get install.*--no-install-recommends.*libsystemd0" "$calls" ||
  expect_failed "apt-get install was not called as it should be"
: >"$calls"
expect_run 0 setup --runtime
expect_text "all 13 packages are installed"
[[ ! -s "$calls" ]] || expect_failed "apt-get was called though all is there"

# Each level includes the one before it; browsers come with --test alone.
reset
expect_run 0 setup --test
expect_run 0 setup --build --check
expect_run 0 setup --runtime --check
reset
expect_run 0 setup --build
expect_run 0 setup --runtime --check
expect_run 1 setup --test --check
expect_text "chromium"
expect_no "clang-19"

# A package that was removed, with its settings kept, is missing.
reset
expect_run 0 setup --runtime
sed -i '/^dbus$/d' "$state"
fake_removed=dbus expect_run 1 setup --runtime --check
expect_text "1 of 13 packages are missing: dbus"

# Failures name the remedy.
reset
fake_update_exits=100 expect_run 1 setup --runtime
expect_text "apt-get update failed twice"
if [[ $(grep -c "^apt-get update" "$calls") != 2 ]]; then
  expect_failed "apt-get update was not tried twice"
fi
reset
fake_install_exits=100 expect_run 1 setup --runtime
expect_text "dpkg --configure -a"
reset
fake_unknown=dbus expect_run 1 setup --runtime
expect_text "apt does not know: dbus"
reset
fake_never=dbus expect_run 1 setup --runtime
expect_text "still missing after the install: dbus"

finish
