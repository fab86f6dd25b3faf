# shellcheck shell=bash
# How the scripts call Bazel: sourced by them, from whatever directory.
#
#   tactus_bazel COMMAND ARGUMENTS...
#
# runs Bazel in the workspace, without its display of progress.
# TACTUS_BAZEL_STARTUP holds startup options of your own, separated by spaces,
# e.g. --output_base=DIR; but keep to one output base a clone: Bazel takes the
# bazel-* links that it made with another one for packages.
#
# Builds share a disk cache outside of the tree, so that a fresh clone, and the
# change from one configuration to another and back, need not compile again:
# the one that user.bazelrc names, or else $TACTUS_DISK_CACHE, or else
# ~/.cache/tactus/bazel. The last two are kept within a bound.

tactus_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Five configurations of the whole tree come to a few GiB; with this much, those
# of some weeks' changes stay.
tactus_cache_gib=15

tactus_cache=
if ! grep -qs -- '--disk_cache' "$tactus_root/user.bazelrc"; then
  if [[ -n "${TACTUS_DISK_CACHE:-}" ]]; then
    tactus_cache=$TACTUS_DISK_CACHE
  elif [[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ]]; then
    tactus_cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/tactus/bazel
  fi
fi

tactus_bazel() {
  local command=$1
  shift
  local startup=() cache=()
  read -ra startup <<<"${TACTUS_BAZEL_STARTUP:-}"
  # Other commands than these run no action, and some refuse the option.
  case "$command" in
    build | test | run)
      if [[ -n "$tactus_cache" ]]; then cache=(--disk_cache="$tactus_cache"); fi
      ;;
  esac
  (cd "$tactus_root" &&
    bazel "${startup[@]}" "$command" --noshow_progress "${cache[@]}" "$@")
}

tactus_prune_cache() {
  if [[ -n "$tactus_cache" ]]; then
    # The bound is a courtesy: a cache that cannot be pruned fails no test.
    python3 "$tactus_root/tools/ci/prune_cache.py" "$tactus_cache" \
      "$tactus_cache_gib" || true
  fi
}
