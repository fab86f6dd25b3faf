#!/usr/bin/python3
"""Conversations with the server on the mock: conversation_test.py MOCK_SERVE.

Each file of conversations/ is lines: `> LINE` is said by the agent, `! THING`
happens on the desktop (see testing/mock_serve.cc), `< JSON` is the next answer,
the same value, and `<~ JSON` the same as far as it is told. Every answer to a
tool, of every conversation, is held to the schema that the server itself tells.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

_SERVE = os.path.abspath(sys.argv.pop(1))
_FOLDER = pathlib.Path(__file__).parent / "conversations"
_PATIENCE = 60

_LIST = ('{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{"_meta":'
         '{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
         '"io.modelcontextprotocol/clientCapabilities":{}}}}')


def _said(lines):
    """What the server answers to `lines`, parsed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [_SERVE, os.path.join(folder, "undo")],
            input="".join(line + "\n" for line in lines).encode(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
            timeout=_PATIENCE)
    assert done.stderr == b"", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _tools():
    return {tool["name"]: tool for tool in _said([_LIST])[0]["result"]["tools"]}


def _part(whole, part):
    """`whole`, less what `part` does not tell of."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return {key: _part(value, part[key]) for key, value in whole.items()
                if key in part}
    if isinstance(whole, list) and isinstance(part, list):
        return [_part(*both) for both in zip(whole, part)] + whole[len(part):]
    return whole


class Conversations(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        says, answers = [], []
        for line in (_FOLDER / name).read_text("utf-8").splitlines():
            mark, _, rest = line.partition(" ")
            if mark == ">":
                says.append(rest)
            elif mark == "!":
                says.append("!" + rest)
            elif mark in ("<", "<~"):
                answers.append((mark, json.loads(rest)))
            else:
                self.assertTrue(line == "" or mark.startswith("#"), line)
        told = _said(says)
        for answer, (mark, wanted) in zip(told, answers):
            self.assertEqual(
                _part(answer, wanted) if mark == "<~" else answer, wanted)
        self.assertEqual(len(told), len(answers))
        self.hold_to_schemas(says, told)

    def hold_to_schemas(self, says, told):
        tools = _tools()
        called = {}
        for line in says:
            try:
                message = json.loads(line)
                called[message["id"]] = tools[message["params"]["name"]]
            except (ValueError, KeyError, TypeError):
                pass
        for answer in told:
            tool = called.get(answer.get("id"))
            result = answer.get("result")
            if tool is None or result is None:
                continue
            for block in result["content"]:
                self.assertEqual(block["type"], "text")
            if "structuredContent" in result:
                jsonschema.validate(result["structuredContent"],
                                    tool["outputSchema"],
                                    jsonschema.Draft202012Validator)
                self.assertEqual(json.loads(result["content"][0]["text"]),
                                 result["structuredContent"])
            else:
                self.assertTrue(result["isError"])

    def test_RevisionWithInitialize(self):
        self.check("initialized.txt")

    def test_StatelessRevision(self):
        self.check("stateless.txt")

    def test_EachOutcomeSaysWhatToDo(self):
        self.check("outcomes.txt")

    def test_MalformedLines(self):
        self.check("malformed.txt")

    def test_EveryConversationIsATest(self):
        self.assertEqual(sorted(path.name for path in _FOLDER.iterdir()),
                         ["initialized.txt", "malformed.txt", "outcomes.txt",
                          "stateless.txt"])


class Definitions(unittest.TestCase):
    def test_SchemasAreSchemasOfObjects(self):
        for tool in _tools().values():
            for schema in tool["inputSchema"], tool["outputSchema"]:
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["type"], "object")
                # What is not told cannot slip in.
                self.assertIs(schema["additionalProperties"], False)
            self.assertEqual(set(tool["outputSchema"]["required"]),
                             set(tool["outputSchema"]["properties"]))

    def test_OnlyWhatReadsSaysThatItOnlyReads(self):
        self.assertEqual(
            {name: (tool["annotations"]["readOnlyHint"],
                    tool["annotations"]["destructiveHint"])
             for name, tool in _tools().items()},
            {"read_focused_text": (True, False),
             "replace_text": (False, True),
             "insert_text": (False, True),
             "undo_edit": (False, True),
             "list_text_fields": (True, False),
             "focus_text_field": (False, False),
             "list_applications": (True, False)})

    def test_TheListIsTheSameInBothRevisions(self):
        initialize = ('{"jsonrpc":"2.0","id":0,"method":"initialize","params":'
                      '{"protocolVersion":"2025-11-25","capabilities":{},'
                      '"clientInfo":{"name":"c","version":"1"}}}')
        told = _said([initialize,
                      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', _LIST])
        self.assertEqual(told[1]["result"]["tools"], told[2]["result"]["tools"])

    def test_ArgumentsThatTheSchemaTakesAreTaken(self):
        """Every argument of every tool, at the edges of its bounds."""
        tools = _tools()
        for name, good, bad in (
                ("read_focused_text", [{}, {"max_text": 1, "context": 0},
                                       {"max_text": 131072, "context": 65536,
                                        "deadline_ms": 60000}],
                 [{"max_text": 0}, {"max_text": 131073}, {"context": -1},
                  {"context": 65537}, {"deadline_ms": 0},
                  {"deadline_ms": 60001}, {"max_text": "1"}, {"other": 1}]),
                ("replace_text",
                 [{"old_text": "hello", "new_text": "hello",
                   "allow_newlines": True, "allow_paste": False,
                   "range": {"begin": 0, "end": 5}, "deadline_ms": 1000}],
                 [{}, {"old_text": "a"}, {"new_text": "a"},
                  {"old_text": "a", "new_text": "b", "range": {"begin": 1}},
                  {"old_text": "a", "new_text": "b",
                   "range": {"begin": 1, "end": 2, "more": 3}}]),
                ("insert_text", [{"text": ""}], [{}, {"text": None}]),
                ("undo_edit", [{"allow_paste": False}], [{"text": "a"}]),
                ("list_text_fields", [{}, {"deadline_ms": 60000}],
                 [{"field": "a"}, {"deadline_ms": 0}]),
                ("focus_text_field", [{"field": "a"},
                                      {"field": "a", "deadline_ms": 1}],
                 [{}, {"field": 1}, {"field": "a", "deadline_ms": 60001}]),
                ("list_applications", [{}], [{"deadline_ms": 1.5}])):
            validator = jsonschema.Draft202012Validator(
                tools[name]["inputSchema"])
            for arguments in good + bad:
                with self.subTest(tool=name, arguments=arguments):
                    result = _said([
                        json.dumps({"jsonrpc": "2.0", "id": 1,
                                    "method": "tools/call",
                                    "params": {"name": name,
                                               "arguments": arguments,
                                               "_meta": json.loads(_LIST)
                                               ["params"]["_meta"]}})
                    ])[0]["result"]
                    taken = "structuredContent" in result
                    self.assertEqual(taken, arguments in good)
                    self.assertEqual(validator.is_valid(arguments), taken)


if __name__ == "__main__":
    unittest.main(verbosity=2)
