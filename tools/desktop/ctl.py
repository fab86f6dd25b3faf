"""Drives one of our own widgets through its control socket.

  ctl state                  JSON: focused, text, caret, selection, fields
  ctl set TEXT               the text of the focused field, caret at the end
  ctl set --file FILE        the same from a file
  ctl select START END       code points; the caret goes to END
  ctl focus FIELD            text, entry, password, readonly, window2
  ctl replace-widget         the focused widget is destroyed and made anew
  ctl window2                opens a second window
"""

import json
import socket
import sys


def ask(path, request):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = connection.recv(1 << 20)
            if not piece:
                raise ConnectionResetError("the widget hung up")
            answer += piece
    return json.loads(answer)


def _request(arguments):
    match arguments:
        case ["state" | "replace-widget" | "window2" as verb]:
            return {"do": verb}
        case ["set", "--file", name]:
            with open(name, newline="") as file:
                return {"do": "set", "text": file.read()}
        case ["set", text]:
            return {"do": "set", "text": text}
        case ["select", start, end] if start.isdigit() and end.isdigit():
            return {"do": "select", "start": int(start), "end": int(end)}
        case ["focus", field]:
            return {"do": "focus", "field": field}
    return None


def main(path, *arguments):
    request = _request(arguments)
    if request is None:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        answer = ask(path, request)
    except FileNotFoundError:
        print("this application is none of our own widgets", file=sys.stderr)
        return 1
    except OSError as error:
        print("the widget does not answer: %s" % error, file=sys.stderr)
        return 1
    if not answer["ok"]:
        print(answer["error"], file=sys.stderr)
        return 1
    if request["do"] == "state":
        print(json.dumps(answer, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
