"""Repositories made of what the system's packages installed."""

_LIBRARIES = "/usr/lib/x86_64-linux-gnu"

def _system_library_impl(ctx):
    missing = [p for p in ctx.attr.paths.values() if not ctx.path(p).exists]
    if missing:
        fail("\n%s: %s not found. Install the packages '%s', or run tools/setup --build." %
             (ctx.name, ", ".join(missing), ctx.attr.package))
    for link, target in ctx.attr.paths.items():
        ctx.symlink(target, link)
    if ctx.attr.libraries:
        _link_libraries(ctx)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

def _link_libraries(ctx):
    found = False
    for file in ctx.path(_LIBRARIES).readdir():
        name = file.basename
        if name.startswith(ctx.attr.libraries) and (name.endswith(".a") or name.endswith(".so")):
            ctx.symlink(file, "lib/" + name)
            found = True
    if not found:
        fail("\n%s: no %s* in %s. Install the packages '%s', or run tools/setup --build." %
             (ctx.name, ctx.attr.libraries, _LIBRARIES, ctx.attr.package))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "libraries": attr.string(doc = "What the names of libraries begin with that are shown in lib/, archives and shared ones. Without it they are found by the linker alone, the shared ones."),
        "package": attr.string(mandatory = True, doc = "Debian packages, for the error message."),
        "paths": attr.string_dict(doc = "Link inside the repository to the absolute path it shows."),
    },
    doc = """Shows chosen system headers as a repository.

Only the named paths are linked, so that no include path of ours ever contains
the whole of /usr/include: that would change the order in which the C and C++
library headers are found.""",
    local = True,
)
