#!/usr/bin/env python3
"""Shows two devices at work, both on this machine: they pair by a code, one sends the
other a folder, the link between them is lost on the way, and what arrives is compared.
Then an agent on the one edits the text under the cursor of the other.

Each has a daemon and a home of its own, in a network namespace of its own where those
are allowed, and on loopback where not. Nothing of yours is read or changed. Each figure
is measured while you wait.

Exit codes: 0 shown, and what arrived is what was sent; 1 it is not, or something failed;
2 usage.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True


def runfiles():
    """The folder in which //tools/... lies."""
    for folder in (os.getcwd(), os.path.abspath(sys.argv[0]) +
                   ".runfiles/tactus"):
        if os.path.exists(os.path.join(folder, "tools/netns/link")):
            return folder
    sys.exit("two_peers_demo: run it with bazel run //tools:two_peers_demo")


_ROOT = runfiles()
for _folder in ("tools/mcp", "tools/netns", "tools/two_peers"):
    sys.path.insert(0, os.path.join(_ROOT, _folder))
import agent  # noqa: E402
import netns  # noqa: E402
import two_peers  # noqa: E402

_MIB = 2**20
# Seconds in which nothing comes through.
_LOST = 2
# Seconds; what takes longer hangs.
_PATIENCE = 120
# What tools/desktop/run ends with where this machine cannot.
_NO_DESKTOP = 3


def _make_tree(folder, mebibytes):
    """What a person might send: many small files, a large one, an empty folder and an
    empty file, a name that is not ASCII, a link that stays inside. Its bytes."""
    total = 0
    for i in range(300):
        below = os.path.join(folder, "notes", "%02d" % (i // 30))
        os.makedirs(below, exist_ok=True)
        with open(os.path.join(below, "note %03d.txt" % i), "wb") as file:
            total += file.write(b"note %d\n" % i * (i + 1))
    os.mkdir(os.path.join(folder, "empty"))
    for name in "nothing", "héllo שלום":
        with open(os.path.join(folder, name), "w"):
            pass
    os.symlink("notes/00/note 000.txt", os.path.join(folder, "link"))
    block = os.urandom(_MIB)
    with open(os.path.join(folder, "large"), "wb") as file:
        for _ in range(mebibytes):
            block = block[1:] + block[:1]
            total += file.write(block)
    os.chmod(os.path.join(folder, "large"), 0o640)
    return total


def _differences(one, other):
    """What `diff` says of two trees, links, modes and times too."""
    said = subprocess.run(["diff", "-rq", "--no-dereference", one, other],
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for below, folders, files in os.walk(one):
        for name in folders + files:
            path = os.path.join(below, name)
            there = os.path.join(other, os.path.relpath(path, one))
            if not os.path.lexists(there):
                continue        # diff has told
            a, b = os.lstat(path), os.lstat(there)
            if os.path.islink(path):
                continue
            if a.st_mode != b.st_mode:
                said.append("%s: mode %o and %o" % (name, a.st_mode, b.st_mode))
            if name in files and a.st_mtime_ns != b.st_mtime_ns:
                said.append("%s: another time" % name)
    return said


def _pair(pair):
    """By the command, as a person does it: the code is read from one screen and typed
    on the other."""
    offer = pair.far.popen("pair", "--name", "near", "--json",
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    try:
        line = offer.stdout.readline()
        if not line:
            raise RuntimeError("tactus pair: " + offer.stderr.read().strip())
        code = json.loads(line)["code"]
        print("far$  tactus pair\n      code %s" % code)
        at = pair.far_address()
        print("near$ tactus pair %s --at %s" % (code, at), flush=True)
        begun = time.monotonic()
        done = pair.near.tactus("pair", code, "--at", at, "--name", "far")
        took = time.monotonic() - begun
        print("      " + done.stdout.decode().strip())
        if offer.wait(_PATIENCE) != 0:
            raise RuntimeError("tactus pair: " + offer.stderr.read().strip())
    finally:
        if offer.poll() is None:
            offer.kill()
            offer.wait()
        offer.stdout.close()
        offer.stderr.close()
    print("      paired in %.0f ms" % (took * 1e3))


def _send(pair, link, folder, total):
    """Sends the folder and loses the link when a third of it has gone: how many bytes
    went over it, and how long it took in all."""
    before = link.counts()["a_to_b"]["bytes"]
    begun = time.monotonic()
    print("near$ tactus send %s far" % os.path.basename(folder), flush=True)
    cut = False
    tries = 0
    while True:
        tries += 1
        sender = pair.near.popen("send", folder, "far", stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        try:
            while sender.poll() is None:
                gone = link.counts()["a_to_b"]["bytes"] - before
                if not cut and gone >= total / 3:
                    _lose(pair, link, gone)
                    cut = True
                if time.monotonic() - begun > _PATIENCE:
                    raise RuntimeError("the sender does not end")
                time.sleep(0.005)
            said = sender.stdout.read().strip()
        finally:
            if sender.poll() is None:
                sender.kill()
                sender.wait()
            sender.stdout.close()
        for line in said.splitlines():
            print("      " + line)
        if sender.returncode == 0:
            break
        if tries > 5:
            raise RuntimeError("the folder could not be sent")
        print("near$ tactus send %s far      # again, from where it was" %
              os.path.basename(folder), flush=True)
    if not cut:
        raise RuntimeError("it was sent before the link could be lost: --mib "
                           "with more")
    return (link.counts()["a_to_b"]["bytes"] - before,
            time.monotonic() - begun)


def _lose(pair, link, gone):
    """The link is gone, and the far device is killed and started anew before it is
    back: what had been under way is nowhere but in the unfinished file."""
    link.cut()
    print("      after %.0f MiB: the link is lost, and the far daemon is killed"
          % (gone / _MIB), flush=True)
    pair.far.kill()
    time.sleep(_LOST)
    pair.far.start()
    link.join()
    print("      %.1f s later both are back" % _LOST, flush=True)


def _medians_ms(legs, count=51):
    """Of so many times each, in turn, after some that find everything cold."""
    took = [[] for _ in legs]
    for turn in range(count + 5):
        for leg, take in zip(took, legs):
            begun = time.monotonic()
            take()
            if turn >= 5:
                leg.append((time.monotonic() - begun) * 1e3)
    return [sorted(leg)[count // 2] for leg in took]


def _edit(one, old, new):
    """One edit; raises RuntimeError where it is not proved."""
    data = one.call("replace_text", {"old_text": old, "new_text": new})[
        "structuredContent"]
    if data["outcome"] != "verified":
        raise RuntimeError("the edit is %s: %s" % (data["outcome"],
                                                   data["message"]))


def _agent_at_work(pair):
    """An agent near edits the editor that is far, and each leg of the way is timed."""
    tactus = os.path.join(_ROOT, "tools/tactus/tactus")
    print("\nfar$  tactus expose --focused-text --to near --write --allow")
    pair.far.tactus("expose", "--focused-text", "--to", "near", "--write",
                    "--allow")
    print("near$ tactus mcp connect far/focused-text     # what an agent starts",
          flush=True)
    words = ["Hello", "Goodbye"]

    def edit(one):
        _edit(one, *words)
        words.reverse()
    with agent.Agent(pair.near.command(tactus, "mcp", "connect",
                                       "far/focused-text"),
                     pair.near.environment) as remote, \
            agent.Agent(pair.far.command(tactus, "mcp", "serve"),
                        pair.far.environment) as local:
        read = remote.call("read_focused_text", {})["structuredContent"]
        print("      agent: read_focused_text: %r in %s" % (
            read["untrusted"]["text"], read["application"]["name"]))
        edit(remote)
        held = subprocess.run([os.environ["TACTUS_DESKTOP_DUMP"]], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        print("      agent: replace_text: verified; the editor itself holds %r"
              % held)
        if held != "Goodbye from the other machine":
            raise RuntimeError("that is not what was asked for")
        edit(remote)
        legs = (
            ("a message to the other daemon and back", lambda: pair.near.ask(
                "peers.echo", {"peer": "far"})),
            ("a call that asks nothing, agent to server and back",
             lambda: remote.ask("ping", {})),
            ("the edit by an agent that runs there, to its proof",
             lambda: edit(local)),
            ("the edit from here, to its proof", lambda: edit(remote)))
        medians = _medians_ms([take for _, take in legs])
        for (what, _), median in zip(legs, medians):
            print("      %-52s %6.2f ms" % (what, median))


def _on_desktop():
    """Runs this again on a private desktop with an editor; returns where there is
    none."""
    run = os.path.join(_ROOT, "tools/desktop/run")
    done = subprocess.run([run, "--app", "gtk3", "--text",
                           "Hello from the other machine", "--timeout", "0",
                           "--", sys.executable, os.path.abspath(sys.argv[0])] +
                          sys.argv[1:])
    if done.returncode != _NO_DESKTOP:
        sys.exit(done.returncode)


def _show(mebibytes):
    desktop = bool(os.environ.get("TACTUS_DESKTOP"))
    link, why = netns.open_link_or_loopback(
        os.path.join(_ROOT, "tools/netns/link"))
    if why:
        print("On loopback: %s\n" % why)
    else:
        print("near is %s in one network namespace, far is %s in another.\n" % (
            link.a.address, link.b.address))
    with tempfile.TemporaryDirectory(prefix="tactus-") as scratch, link:
        folder = os.path.join(scratch, "folder")
        os.mkdir(folder)
        total = _make_tree(folder, mebibytes)
        with two_peers.Pair(os.path.join(_ROOT, "tools/tactusd/tactusd"),
                            os.path.join(_ROOT, "tools/tactus/tactus"),
                            scratch, link) as pair:
            if desktop:
                pair.far.stop()
                for name in "DISPLAY", "DBUS_SESSION_BUS_ADDRESS":
                    pair.far.environment[name] = os.environ[name]
                pair.far.start()
            _pair(pair)
            trips = sorted(pair.near.ask("peers.echo", {"peer": "far"})
                           ["round_trip_us"] for _ in range(51))
            print("      a message to far and back: %d us (median of %d)\n" % (
                trips[len(trips) // 2], len(trips)), flush=True)
            carried, took = _send(pair, link, folder, total)
            arrived = os.path.join(pair.far.inbox, "folder")
            differences = _differences(folder, arrived)
            print("\n%.0f MiB in %.1f s, of which the link was gone %.1f s; "
                  "%.0f MiB went over it,\n%.0f %% of what was sent" % (
                      total / _MIB, took, _LOST, carried / _MIB,
                      100 * carried / total))
            print("memory of the daemons, at most: near %.1f MiB, far %.1f MiB "
                  "since it was started anew" % (
                      pair.near.peak_memory() / _MIB,
                      pair.far.peak_memory() / _MIB))
            if not differences:
                print("What arrived is what was sent: names, contents, links, "
                      "modes, times.")
                if desktop:
                    _agent_at_work(pair)
                else:
                    print("\nNo agent is shown: no desktop can be had here "
                          "(tools/setup --test).")
    if differences:
        print("WHAT ARRIVED DIFFERS:")
        print("\n".join(differences[:20]))
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(
        prog="two_peers_demo", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=256,
                        help="of the large file (default: 256)")
    options = parser.parse_args()
    if not 16 <= options.mib <= 8192:
        parser.error("--mib: 16 to 8192")
    if not os.environ.get("TACTUS_DESKTOP"):
        _on_desktop()
    try:
        return _show(options.mib)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print("two_peers_demo: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
