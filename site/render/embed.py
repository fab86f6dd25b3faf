#!/usr/bin/env python3
"""Writes files into one C++ source, so that a program carries its templates.

    embed.py FUNCTION HEADER FILE... > embedded.cc

The function is declared in HEADER and gives each file's name, without its
folder, and its content.

Exit codes: 0 written; 1 a file cannot be read or is no UTF-8; 2 usage.
"""

import os
import sys

# What a compiler has to take in one literal is limited to some 64 kB.
_PIECE = 12000
_DELIMITER = "tpl"


def literal(text):
    """`text` as raw string literals, one after the other."""
    if f'){_DELIMITER}"' in text:
        raise ValueError(f'holds ){_DELIMITER}", which ends the literal')
    pieces = [text[i:i + _PIECE] for i in range(0, len(text), _PIECE)] or [""]
    return "\n".join(f'R"{_DELIMITER}({piece}){_DELIMITER}"'
                     for piece in pieces)


def main(argv):
    if len(argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    function, header, *files = argv
    lines = [f'#include "{header}"', "", "#include <map>", "#include <string>",
             "", "namespace tactus::site {", "",
             f"std::map<std::string, std::string> {function}() {{",
             "  return {"]
    for name in files:
        try:
            with open(name, encoding="utf-8") as file:
                text = literal(file.read())
        except (OSError, ValueError) as error:
            print(f"embed: {name}: {error}", file=sys.stderr)
            return 1
        lines.append(f'{{"{os.path.basename(name)}", {text}}},')
    lines += ["  };", "}", "", "}  // namespace tactus::site"]
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
