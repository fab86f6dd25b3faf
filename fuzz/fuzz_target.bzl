"""A fuzz target: a fuzzer to explore with, and a test that replays its corpus."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def fuzz_target(name, srcs, deps = [], tags = []):
    """Makes a fuzzer and its replay test from one LLVMFuzzerTestOneInput.

    The corpus is every file below `corpus/NAME` of the calling package; a
    target without one has a replay test that fails.

    NAME              the fuzzer, only built when asked for by name. Without
                      --config=fuzz it has no coverage to steer by, says so and
                      exits 1.
    NAME_replay_test  runs the corpus once, in any configuration.
    NAME_lib          what both link.

    Args:
      name: name of the fuzzer.
      srcs: sources; one defines LLVMFuzzerTestOneInput and none defines
        LLVMFuzzerInitialize, which is the driver's.
      deps: what the sources include.
      tags: tags of all three targets.
    """
    corpus_dir = "corpus/" + name
    corpus = native.glob([corpus_dir + "/**"])

    cc_library(
        name = name + "_lib",
        testonly = True,
        srcs = srcs,
        tags = tags,
        deps = deps,
        alwayslink = True,
    )

    cc_test(
        name = name + "_replay_test",
        size = "small",
        # Some hundred inputs with a sanitizer, on a busy machine.
        timeout = "moderate",
        args = [native.package_name() + "/" + corpus_dir],
        data = corpus,
        linkstatic = True,
        tags = tags,
        deps = [
            name + "_lib",
            "//fuzz:replay_main",
        ],
    )

    cc_binary(
        name = name,
        testonly = True,
        # The driver takes these two out of the arguments before libFuzzer reads
        # them.
        args = ["--target=" + name, "--seeds=%s/%s" % (native.package_name(), corpus_dir)],
        data = corpus,
        linkopts = ["-fsanitize=fuzzer"],
        tags = tags + ["manual"],
        deps = [
            name + "_lib",
            "//fuzz:fuzzer_init",
        ],
    )

def fuzz_campaign(name, leave_out):
    """Runs all fuzzers for a while; campaign.py says how.

    Args:
      name: of the program.
      leave_out: names of fuzz_targets. All others that have a corpus take part,
        so that none is forgotten.
    """
    args = []
    data = [":campaign_record"]
    found = {path.split("/")[1]: None for path in native.glob(["corpus/*/*"])}
    for target in sorted(found):
        if target in leave_out:
            continue
        args.append("--fuzzer=%s=$(rootpath :%s)=%s/corpus/%s" %
                    (target, target, native.package_name(), target))
        data.append(":" + target)
    native.sh_binary(
        name = name,
        testonly = True,
        srcs = ["campaign.py"],
        args = args + ["--recorder=$(rootpath :campaign_record)"],
        data = data,
        # As the fuzzers are: each is some tens of megabytes.
        tags = ["manual"],
    )
