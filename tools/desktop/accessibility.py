"""What accessibility shows of an application: has its text the focus?"""

from bus import Bus, BusError

_ROOT = "/org/a11y/atspi/accessible/root"
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus",
           "org.freedesktop.DBus")

_EDITABLE = 1 << 7
_FOCUSED = 1 << 12
_SHOWING = 1 << 25
# GTK 4 gives SHOWING to windows only.
_VISIBLE = 1 << 30

# The largest of the applications here shows some 600 objects; a page of a test
# may be larger, and a tree that never ends must not hold the desktop for ever.
_MOST_OBJECTS = 20000


def switch_on(session_address):
    """Turns accessibility on for the session; answers its bus's address."""
    session = Bus(session_address)
    try:
        session.call("org.a11y.Bus", "/org/a11y/bus",
                     "org.freedesktop.DBus.Properties", "Set", "ssv",
                     "org.a11y.Status", "IsEnabled", ("b", True), timeout=15)
        return session.call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus",
                            "GetAddress", timeout=15)[0]
    finally:
        session.close()


class Accessibility:
    def __init__(self, address):
        self._bus = Bus(address)

    def close(self):
        self._bus.close()

    def applications(self):
        """Bus name of each registered application to its process id."""
        names = [name for name, _ in self._bus.call(
            "org.a11y.atspi.Registry", _ROOT, _ACCESSIBLE, "GetChildren",
            timeout=10)[0]]
        pids = self._bus.call_all([
            _DAEMON + ("GetConnectionUnixProcessID", "s", name)
            for name in names])
        return {name: pid[0] for name, pid in zip(names, pids)
                if not isinstance(pid, BusError)}

    def focused_text(self, pids, typed_into=False):
        """(name, path) of the focused object with text, or None.

        `typed_into`: only one that is editable and showing. The page of a
        browser is focused as well, and earlier than its field."""
        wanted = _FOCUSED | (_EDITABLE | _SHOWING if typed_into else 0)
        for name, pid in self.applications().items():
            if pid in pids:
                found = self._search(name, wanted)
                if found:
                    return found
        return None

    def caret_at_end(self, field, at_least):
        """Whether the caret is behind the last of `at_least` characters."""
        answers = self._bus.call_all([
            field + ("org.freedesktop.DBus.Properties", "Get", "ss",
                     "org.a11y.atspi.Text", name)
            for name in ("CaretOffset", "CharacterCount")])
        return (not any(isinstance(a, BusError) for a in answers) and
                answers[0] == answers[1] and answers[1][0] >= at_least)

    def _search(self, name, wanted):
        level, seen = [(name, _ROOT)], {(name, _ROOT)}
        while level and len(seen) < _MOST_OBJECTS:
            states = self._ask(level, "GetState")
            # The root of some applications shows no state at all.
            kept = [at for at, state in zip(level, states)
                    if at[1] == _ROOT or state and state[0] & _VISIBLE]
            focused = [at for at, state in zip(level, states)
                       if state and state[0] & wanted == wanted]
            for at, interfaces in zip(focused,
                                      self._ask(focused, "GetInterfaces")):
                if "org.a11y.atspi.Text" in (interfaces or []):
                    return at
            children = self._ask(kept, "GetChildren")
            level = []
            for child in sum((c or [] for c in children), []):
                if child not in seen and not child[1].endswith("/null"):
                    seen.add(child)
                    level.append(child)
        return None

    def _ask(self, objects, member):
        answers = self._bus.call_all(
            [(name, path, _ACCESSIBLE, member) for name, path in objects])
        return [None if isinstance(a, BusError) else a[0] for a in answers]
