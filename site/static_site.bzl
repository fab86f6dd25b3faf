"""A folder of static pages, made from the files of a ledger."""

def _static_site_impl(ctx):
    pages = ctx.actions.declare_directory(ctx.attr.folder)
    arguments = ctx.actions.args()
    arguments.add("--out", pages.path)
    arguments.add("--quiet")
    if ctx.files.prose:
        # All are in one folder, which the generator reads.
        folders = {f.dirname: True for f in ctx.files.prose}
        if len(folders) != 1:
            fail("prose: files of one folder, not of " + ", ".join(folders))
        arguments.add("--templates", folders.keys()[0])
    arguments.add_all(ctx.files.ledger)
    ctx.actions.run(
        outputs = [pages],
        inputs = ctx.files.ledger + ctx.files.prose,
        executable = ctx.executable._generate,
        arguments = [arguments],
        mnemonic = "StaticSite",
        progress_message = "Making the pages of %s" % ctx.label,
    )
    return [DefaultInfo(
        files = depset([pages]),
        runfiles = ctx.runfiles(files = [pages]),
    )]

static_site = rule(
    implementation = _static_site_impl,
    attrs = {
        "folder": attr.string(default = "html", doc = "Name of the folder that is made."),
        # True, since an empty ledger has no file of any ending.
        "ledger": attr.label_list(allow_files = True),
        "prose": attr.label_list(
            allow_files = [".html", ".txt"],
            doc = "site.txt, declared.txt and pages; none: those that fit every ledger.",
        ),
        "_generate": attr.label(
            default = "//site:generate",
            executable = True,
            cfg = "host",
        ),
    },
    doc = """Pages that need neither a server nor a script.

An unresolved reference, a line of the ledger that cannot be read or a page that
is too large fails the build, with the place and the remedy.""",
)
