"""Where the toolkits' headers are, for the widgets that use them.

All of it is inside the compiler's own folders, which a sandbox shows whole.
"""

def _system(folders):
    return ["-isystem" + folder for folder in folders]

_GLIB = [
    "/usr/include/glib-2.0",
    "/usr/include/gio-unix-2.0",
    "/usr/include/pango-1.0",
    "/usr/include/harfbuzz",
    "/usr/include/cairo",
    "/usr/include/gdk-pixbuf-2.0",
]

GTK3_COPTS = _system(["/usr/include/gtk-3.0", "/usr/include/atk-1.0"] + _GLIB)

GTK4_COPTS = _system(["/usr/include/gtk-4.0", "/usr/include/graphene-1.0"] + _GLIB)

def _qt(version):
    root = "/usr/include/x86_64-linux-gnu/qt%d" % version
    return ["-fPIC"] + _system(
        [root] + ["%s/Qt%s" % (root, part) for part in ["Core", "Gui", "Widgets"]],
    )

QT5_COPTS = _qt(5)

QT6_COPTS = _qt(6)
