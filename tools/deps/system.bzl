"""Repositories made of what the system's packages installed."""

def _system_library_impl(ctx):
    missing = [p for p in ctx.attr.paths.values() if not ctx.path(p).exists]
    if missing:
        fail("\n%s: %s not found. Install the packages '%s', or run tools/setup --build." %
             (ctx.name, ", ".join(missing), ctx.attr.package))
    for link, target in ctx.attr.paths.items():
        ctx.symlink(target, link)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "package": attr.string(mandatory = True, doc = "Debian packages, for the error message."),
        "paths": attr.string_dict(doc = "Link inside the repository to the absolute path it shows."),
    },
    doc = """Shows chosen system headers as a repository.

Only the named paths are linked, so that no include path of ours ever contains
the whole of /usr/include: that would change the order in which the C and C++
library headers are found.""",
    local = True,
)
