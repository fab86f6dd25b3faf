"""Packages of npm, as a lock file names them."""

_BUILD = """package(default_visibility = ["//visibility:public"])

filegroup(
    name = "files",
    srcs = glob({globs}, allow_empty = True) + ["STATE"],
)
"""

# How long the whole install may take: npm tries again by itself.
_PATIENCE = 600

def _npm_packages_impl(ctx):
    ctx.symlink(ctx.attr.manifest, "package.json")
    ctx.symlink(ctx.attr.lock, "package-lock.json")
    npm = ctx.which("npm")
    why = ""
    if npm == None or ctx.which("node") == None:
        why = "npm or node not found: run tools/setup --test"
    else:
        # Scripts of packages are not run: what is installed is what the lock
        # file has digests of, and nothing else happens.
        result = ctx.execute(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", "npm-cache"],
            timeout = _PATIENCE,
        )
        if result.return_code != 0:
            why = "npm ci failed: " + result.stderr
        ctx.delete("npm-cache")
    ctx.file("STATE", why or "ok")
    ctx.file("BUILD.bazel", _BUILD.format(globs = repr(ctx.attr.files)))

npm_packages = repository_rule(
    implementation = _npm_packages_impl,
    attrs = {
        "files": attr.string_list(
            mandatory = True,
            doc = "What is shown of node_modules: patterns, never all of it.",
        ),
        "lock": attr.label(mandatory = True, allow_single_file = True),
        "manifest": attr.label(mandatory = True, allow_single_file = True),
    },
    doc = """Installs what a lock file names, by its digests.

For tests alone. Where npm is not there or cannot install, the repository is
there and its file STATE says why, so that everything else still builds and the
test that needs it fails with that sentence.""",
    environ = ["PATH"],
)
