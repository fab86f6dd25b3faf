"""A D-Bus client in the standard library: connect, call, many calls at once.

The desktop has to ask the accessibility bus what it shows before anything of
Tactus runs, and a test of Tactus must not lean on Tactus itself to do so.
"""

import os
import re
import socket
import struct
import time


class BusError(Exception):
    """The bus, or the one asked, answered with an error or not at all."""


_ALIGN = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "b": 4, "i": 4, "u": 4,
          "s": 4, "o": 4, "a": 4, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
_FIXED = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q",
          "d": "d"}


def _first_type(signature, at=0):
    """The end of the complete type that starts at `at`."""
    if signature[at] == "a":
        return _first_type(signature, at + 1)
    if signature[at] in "({":
        depth = 0
        for end in range(at, len(signature)):
            depth += (signature[end] in "({") - (signature[end] in ")}")
            if depth == 0:
                return end + 1
        raise BusError("unbalanced signature " + signature)
    return at + 1


def _split(signature):
    types, at = [], 0
    while at < len(signature):
        end = _first_type(signature, at)
        types.append(signature[at:end])
        at = end
    return types


def _pad(out, alignment):
    out.extend(b"\0" * (-len(out) % alignment))


def _write(out, kind, value):
    _pad(out, _ALIGN[kind[0]])
    if kind in _FIXED:
        out += struct.pack("<" + _FIXED[kind], value)
    elif kind == "b":
        out += struct.pack("<I", bool(value))
    elif kind in ("s", "o"):
        data = value.encode()
        out += struct.pack("<I", len(data)) + data + b"\0"
    elif kind == "g":
        data = value.encode()
        out += bytes([len(data)]) + data + b"\0"
    elif kind == "v":
        inner, item = value
        _write(out, "g", inner)
        _write(out, inner, item)
    elif kind[0] == "a":
        length_at = len(out)
        out += b"\0\0\0\0"
        _pad(out, _ALIGN[kind[1]])
        start = len(out)
        for item in value.items() if kind[1] == "{" else value:
            _write(out, kind[1:], item)
        struct.pack_into("<I", out, length_at, len(out) - start)
    else:
        for inner, item in zip(_split(kind[1:-1]), value):
            _write(out, inner, item)


def _read(data, at, kind):
    at += -at % _ALIGN[kind[0]]
    if kind in _FIXED:
        size = struct.calcsize(_FIXED[kind])
        return struct.unpack_from("<" + _FIXED[kind], data, at)[0], at + size
    if kind == "b":
        return struct.unpack_from("<I", data, at)[0] != 0, at + 4
    if kind in ("s", "o"):
        size = struct.unpack_from("<I", data, at)[0]
        text = bytes(data[at + 4:at + 4 + size]).decode(errors="replace")
        return text, at + 5 + size
    if kind == "g":
        size = data[at]
        return bytes(data[at + 1:at + 1 + size]).decode(), at + 2 + size
    if kind == "v":
        inner, at = _read(data, at, "g")
        return _read(data, at, inner)
    if kind[0] == "a":
        size = struct.unpack_from("<I", data, at)[0]
        at += 4
        at += -at % _ALIGN[kind[1]]
        end, items = at + size, []
        while at < end:
            item, at = _read(data, at, kind[1:])
            items.append(item)
        return (dict(items) if kind[1] == "{" else items), at
    items = []
    for inner in _split(kind[1:-1]):
        item, at = _read(data, at, inner)
        items.append(item)
    return tuple(items), at


class Bus:
    """One connection. `call` answers the list of values of the reply."""

    def __init__(self, address, timeout=5.0):
        self._serial = 0
        self._buffer = bytearray()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(_socket_path(address))
            uid = str(os.getuid()).encode().hex()
            self._socket.sendall(b"\0AUTH EXTERNAL " + uid.encode() + b"\r\n")
            answer = b""
            while not answer.endswith(b"\r\n"):
                piece = self._socket.recv(1)
                if not piece:
                    raise BusError("the bus hung up while authenticating")
                answer += piece
            if not answer.startswith(b"OK"):
                raise BusError("the bus refused us: " + answer.decode("latin1"))
            self._socket.sendall(b"BEGIN\r\n")
        except OSError as error:
            raise BusError("cannot reach %s: %s" % (address, error)) from error
        self.name = self.call(_DAEMON, _DAEMON_PATH, _DAEMON, "Hello",
                              timeout=timeout)[0]

    def close(self):
        self._socket.close()

    def call(self, destination, path, interface, member, signature="", *values,
             timeout=5.0):
        answer = self.call_all(
            [(destination, path, interface, member, signature) + values],
            timeout)[0]
        if isinstance(answer, BusError):
            raise answer
        return answer

    def call_all(self, calls, timeout=5.0):
        """Sends every call, then collects: an answer or a BusError for each."""
        deadline = time.monotonic() + timeout
        out, wanted = bytearray(), {}
        for index, call in enumerate(calls):
            self._serial += 1
            wanted[self._serial] = index
            out += self._message(self._serial, *call)
        answers = [None] * len(calls)
        try:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            self._socket.sendall(out)
            while wanted:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._socket.settimeout(left)
                serial, answer = self._receive()
                index = wanted.pop(serial, None)
                if index is not None:
                    answers[index] = answer
        except TimeoutError:
            for index in wanted.values():
                name, _, interface, member = calls[index][:4]
                answers[index] = BusError(
                    "%s.%s of %s did not answer in %g s" % (
                        interface, member, name, timeout))
        except OSError as error:
            raise BusError("lost the bus: %s" % error) from error
        return answers

    def _message(self, serial, destination, path, interface, member,
                 signature="", *values):
        body = bytearray()
        for kind, value in zip(_split(signature), values):
            _write(body, kind, value)
        fields = [(1, ("o", path)), (2, ("s", interface)), (3, ("s", member)),
                  (6, ("s", destination))]
        if signature:
            fields.append((8, ("g", signature)))
        head = bytearray(struct.pack(
            "<cBBBII", b"l", 1, 0, 1, len(body), serial))
        _write(head, "a(yv)", fields)
        _pad(head, 8)
        return head + body

    def _receive(self):
        """The next reply: the serial it answers, and its values or error."""
        while True:
            head = self._exactly(16)
            body_size, fields_size = (struct.unpack_from("<I", head, 4)[0],
                                      struct.unpack_from("<I", head, 12)[0])
            rest = fields_size + (-fields_size % 8)
            message = bytes(self._exactly(16 + rest + body_size))
            del self._buffer[:16 + rest + body_size]
            # A peer on the other byte order would need a machine of its own.
            fields = dict(_read(message, 12, "a(yv)")[0])
            if message[1] not in (2, 3) or 5 not in fields:
                continue
            at, values = 16 + rest, []
            for kind in _split(fields.get(8, "")):
                # Values are aligned within the body, which starts aligned to 8.
                value, at = _read(message, at, kind)
                values.append(value)
            if message[1] == 3:
                text = "%s: %s" % (fields.get(4), values[0] if values else "")
                return fields[5], BusError(text)
            return fields[5], values

    def _exactly(self, size):
        while len(self._buffer) < size:
            piece = self._socket.recv(65536)
            if not piece:
                raise ConnectionResetError("the bus hung up")
            self._buffer += piece
        return memoryview(bytes(self._buffer[:size]))


_DAEMON = "org.freedesktop.DBus"
_DAEMON_PATH = "/org/freedesktop/DBus"


def _socket_path(address):
    for one in address.split(";"):
        kind, _, rest = one.partition(":")
        pairs = dict(pair.partition("=")[::2] for pair in rest.split(","))
        if kind == "unix" and "path" in pairs:
            return _unescape(pairs["path"])
        if kind == "unix" and "abstract" in pairs:
            return b"\0" + _unescape(pairs["abstract"])
    raise BusError("no Unix socket in the address " + address)


def _unescape(text):
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(
        found[1].decode()), text.encode())
