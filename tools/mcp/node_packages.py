"""The npm packages that tests of MCP clients are run with.

    scripts = node_packages.stage(folder, [driver])    # the copies, in order
    subprocess.run(["node", *node_packages.OPTIONS, scripts[0]])

Node looks for modules beside the file that asks for them, with links resolved; so
scripts are copied into a folder, beside a link to the packages.
"""

import os
import shutil
import sys

OPTIONS = ("--preserve-symlinks", "--preserve-symlinks-main")


def stage(folder, scripts):
    """Ends the test where the packages could not be had."""
    packages = os.path.abspath("../mcp_client")
    if not os.path.isdir(packages):
        packages = os.path.abspath("external/mcp_client")
    with open(os.path.join(packages, "STATE")) as file:
        state = file.read().strip()
    if state != "ok":
        sys.exit("FAILED: the packages are not there: " + state)
    os.symlink(os.path.join(packages, "node_modules"),
               os.path.join(folder, "node_modules"))
    return [shutil.copy(script, folder) for script in scripts]
