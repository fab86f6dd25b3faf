"""Asking a browser, through its own debugger, what its focused field holds."""

import base64
import json
import os
import socket
import struct

_TIMEOUT = 10

# The focus may be inside a shadow tree or a frame of the same origin.
_FIELD = """
const active = (root) => {
  const element = root.activeElement;
  if (!element) return null;
  if (element.shadowRoot) return active(element.shadowRoot) || element;
  if (element.contentDocument) {
    return active(element.contentDocument) || element;
  }
  return element;
};
const field = active(document);
const editable = field && (typeof field.value === "string" ||
                           field.isContentEditable);
"""

HAS_FOCUS = "(() => {" + _FIELD + """
return document.readyState === "complete" && document.hasFocus() && !!editable;
})()"""

TEXT = "(() => {" + _FIELD + """
if (!editable) return null;
return typeof field.value === "string" ? field.value : field.innerText;
})()"""

SET_TEXT = "((text) => {" + _FIELD + """
if (typeof field.value === "string") {
  field.value = text;
  field.setSelectionRange(field.value.length, field.value.length);
} else {
  field.textContent = text;
  field.ownerDocument.getSelection().selectAllChildren(field);
  field.ownerDocument.getSelection().collapseToEnd();
}
})(%s)"""


class NotReady(Exception):
    """The browser does not answer as it will once its page is there."""


# What asking a browser may raise while it starts, or when it is gone.
FAILURES = (NotReady, OSError, ValueError)


def _length(head):
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise NotReady("an answer without a length: %r" % head)


class Chromium:
    """DevTools protocol, over the port that the profile's folder tells."""

    def __init__(self, profile):
        with open(os.path.join(profile, "DevToolsActivePort")) as file:
            port = file.readline().strip()
        self._socket = socket.create_connection(("127.0.0.1", int(port)),
                                                _TIMEOUT)
        self._buffer = b""
        host = "Host: 127.0.0.1:%s\r\n" % port
        head = self._ask("GET /json/list HTTP/1.1\r\n" + host)
        pages = [page for page in json.loads(self._exactly(_length(head)))
                 if page["type"] == "page" and page["url"].startswith("file:")]
        if not pages:
            raise NotReady("no page of ours is open")
        path = "/" + pages[0]["webSocketDebuggerUrl"].split("/", 3)[3]
        key = base64.b64encode(os.urandom(16)).decode()
        head = self._ask(
            "GET %s HTTP/1.1\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n" % (
                path, host, key))
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise NotReady("the debugger refused: %r" % head)

    def _ask(self, request):
        """The head of the answer; what follows it is in the buffer."""
        self._socket.sendall((request + "\r\n").encode())
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        return head

    def close(self):
        self._socket.close()

    def evaluate(self, expression):
        self._send(json.dumps({
            "id": 1, "method": "Runtime.evaluate",
            "params": {"expression": expression, "returnByValue": True}}))
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == 1:
                break
        if "error" in answer or "exceptionDetails" in answer["result"]:
            raise NotReady("the page failed: %s" % answer)
        return answer["result"]["result"].get("value")

    def _send(self, text):
        data, mask = text.encode(), os.urandom(4)
        if len(data) < 126:
            size = bytes([0x80 | len(data)])
        elif len(data) < 65536:
            size = b"\xfe" + struct.pack(">H", len(data))
        else:
            size = b"\xff" + struct.pack(">Q", len(data))
        repeated = mask * (len(data) // 4 + 1)
        masked = (int.from_bytes(data, "little") ^ int.from_bytes(
            repeated[:len(data)], "little")).to_bytes(len(data), "little")
        self._socket.sendall(b"\x81" + size + mask + masked)

    def _message(self):
        whole = b""
        while True:
            first, size = self._exactly(2)
            if size == 126:
                size = struct.unpack(">H", self._exactly(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._exactly(8))[0]
            data = self._exactly(size)
            if first & 0x0F in (0, 1, 2):
                whole += data
                if first & 0x80:
                    return whole.decode()
            elif first & 0x0F == 8:
                raise NotReady("the debugger hung up")

    def _exactly(self, size):
        while len(self._buffer) < size:
            self._more()
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _more(self):
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise NotReady("the debugger hung up")
        self._buffer += piece


class Firefox:
    """Marionette, over the port that the profile's folder tells."""

    def __init__(self, profile):
        with open(os.path.join(profile, "MarionetteActivePort")) as file:
            port = file.read().strip()
        if not port:
            raise NotReady("no port yet")
        self._socket = socket.create_connection(("127.0.0.1", int(port)),
                                                _TIMEOUT)
        self._buffer = b""
        self._count = 0
        self._message()
        self._call("WebDriver:NewSession", {})

    def close(self):
        try:
            self._call("WebDriver:DeleteSession", {})
        except (OSError, NotReady):
            pass
        self._socket.close()

    def evaluate(self, expression):
        return self._call("WebDriver:ExecuteScript", {
            "script": "return " + expression.strip() + ";", "args": [],
            "sandbox": None})["value"]

    def _call(self, name, parameters):
        self._count += 1
        data = json.dumps([0, self._count, name, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(data), data))
        _, _, error, result = self._message()
        if error:
            raise NotReady("%s: %s" % (error.get("error"),
                                       error.get("message")))
        return result

    def _message(self):
        while b":" not in self._buffer:
            self._more()
        size, _, self._buffer = self._buffer.partition(b":")
        while len(self._buffer) < int(size):
            self._more()
        data = self._buffer[:int(size)]
        self._buffer = self._buffer[int(size):]
        return json.loads(data)

    def _more(self):
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise NotReady("Marionette hung up")
        self._buffer += piece
