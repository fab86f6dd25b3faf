"""The digest of the sources of a benchmark, for its rows in the ledger."""

def harness_digest(name, srcs):
    """A library with the header NAME.h, which defines tactus::ledger::kHarnessDigest.

    Args:
      name: of the library and the header.
      srcs: the sources of the benchmark. Those of the Recorder are added: a
        change of either makes the figures another instrument's.
    """
    sources = srcs + ["//ledger/record:sources"]
    native.genrule(
        name = name + "_header",
        srcs = sources,
        outs = [name + ".h"],
        # Sorted by name, so that the order of srcs changes nothing.
        cmd = """
            set -e
            digest=$$(for file in $$(printf '%s\\n' $(SRCS) | LC_ALL=C sort -u); do
              printf '%s\\0' "$$file"; cat "$$file"; printf '\\0'
            done | sha256sum | cut -d ' ' -f 1)
            {
              echo "#pragma once"
              echo "namespace tactus::ledger {"
              echo "// Of the benchmark's sources and the Recorder's."
              echo "inline constexpr char kHarnessDigest[] = \\"sha256:$$digest\\";"
              echo "}  // namespace tactus::ledger"
            } > $@
        """,
    )
    native.cc_library(
        name = name,
        hdrs = [name + ".h"],
    )
