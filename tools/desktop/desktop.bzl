"""Tests that need an application on a desktop."""

def _text_file_impl(ctx):
    file = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(file, ctx.attr.text)
    return [DefaultInfo(
        files = depset([file]),
        runfiles = ctx.runfiles(files = [file]),
    )]

_text_file = rule(
    implementation = _text_file_impl,
    attrs = {"text": attr.string()},
    doc = "A file with a text that no shell or make variable gets to see.",
)

def _quoted(word):
    return "'" + word.replace("'", "'\\''").replace("$", "$$") + "'"

def desktop_test(
        name,
        app,
        test,
        text = None,
        kind = None,
        also = [],
        page = None,
        size = "medium",
        tags = [],
        args = [],
        data = [],
        **kwargs):
    """Runs a test binary on a private desktop where `app` has the focus.

    Where the desktop or the application cannot be had the test fails; the
    reason is in its log.

    Args:
      name: the name of the test.
      app: what --app of tools/desktop/run takes.
      test: the label of the test binary, a cc_test tagged "manual" or a
        cc_binary. It finds the desktop through the environment.
      text: the text of the focused field.
      kind: the focused field: text, entry, password, readonly.
      also: other applications, each "app" or "app=text".
      page: the label of a page for the browser.
      size: as of any test.
      tags: more tags; an application that not every run should need is "full".
      args: arguments of the test binary.
      data: more files that the test binary needs.
      **kwargs: what else a test takes.
    """
    words = ["--app", app, "--timeout", "0"]
    files = [test]
    if text != None:
        _text_file(name = name + "_text", text = text, testonly = True)
        files.append(":" + name + "_text")
        words += ["--text-file", "$(rootpath :%s_text)" % name]
    if kind != None:
        words += ["--kind", kind]
    for other in also:
        words += ["--also", _quoted(other)]
    if page != None:
        files.append(page)
        words += ["--page", "$(rootpath %s)" % page]
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools/desktop:desktop_test.sh"],
        args = words + ["--", "./$(rootpath %s)" % test] + args,
        data = files + data + ["//tools/desktop:run"],
        # Two desktops at once would only measure each other.
        tags = tags + ["desktop", "exclusive", "local"],
        **kwargs
    )
