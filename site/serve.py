#!/usr/bin/env python3
"""Shows a folder of static pages on localhost.

    serve.py FOLDER [--port PORT]

Only 127.0.0.1 listens; without --port the system chooses a free one. The
address is printed on one line, and SIGTERM or Ctrl+C ends it.

Exit codes: 0 ended by a signal; 1 the folder or the port cannot be had; 2 usage.
"""

import argparse
import functools
import http.server
import os
import signal
import sys
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder, and nothing kept by the browser."""

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *_):
        pass


def port_number(text):
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port


def main(argv):
    parser = argparse.ArgumentParser(
        prog="serve", description=__doc__.strip().splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--port", type=port_number, default=0)
    arguments = parser.parse_args(argv)
    if not os.path.isfile(os.path.join(arguments.folder, "index.html")):
        print(f"serve: {arguments.folder} has no index.html: is it a site?",
              file=sys.stderr)
        return 1
    handler = functools.partial(Handler, directory=arguments.folder)
    try:
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", arguments.port), handler)
    except OSError as error:
        print(f"serve: port {arguments.port}: {error.strerror}: choose another "
              "with --port, or none for a free one", file=sys.stderr)
        return 1
    # shutdown() waits for the loop, so it must not run within it.
    def stop(*_):
        threading.Thread(target=server.shutdown, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    with server:
        server.serve_forever(poll_interval=0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
