"""Runs in a terminal: shows a text, then echoes and records what it reads.

The record starts with the text, as if that had been typed.
"""

import os
import sys
import termios


def main(text_path, record_path):
    modes = termios.tcgetattr(0)
    # Each key arrives at once and as it is, and Return as a line feed.
    modes[0] &= ~termios.IXON
    modes[3] &= ~(termios.ICANON | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(0, termios.TCSANOW, modes)
    with open(text_path, "rb") as file:
        text = file.read()
    with open(record_path, "wb", buffering=0) as record:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
        record.write(text)
        while piece := os.read(0, 65536):
            record.write(piece)


if __name__ == "__main__":
    main(*sys.argv[1:])
