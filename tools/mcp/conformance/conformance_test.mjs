// Plays each list of exchanges.mjs twice, with the server as a child of the client and
// with the server carried from another device, and compares every message of
// both ways:
//
//   conformance_test.mjs SERVERS    a file of JSON: {NAME: {direct: [...], carried:
//                              [...], env: {...}, folder: PATH}}
//
// A line that differs is the same only where `alike` says why it may.

import assert from "node:assert/strict";
import fs from "node:fs";

import {lists} from "./exchanges.mjs";
import {Tap} from "./tap.mjs";

// What a server itself makes of the clock. Nothing else may differ, in no byte.
const alike = [
  {
    why: "server-everything tells the time at which it made a resource",
    change: (line) => line.replace(/ created at [0-9:]+ [AP]M/g,
                                   " created at TIME"),
  },
  {
    why: "and the same in base64",
    change: (line) => line.replace(/"blob":"([A-Za-z0-9+\/=]+)"/g, (all, text) => {
      const blob = Buffer.from(text, "base64").toString("utf8");
      return / created at /.test(blob) ?
          `"blob":${JSON.stringify(blob.replace(/ created at .*$/, ""))}` :
          all;
    }),
  },
  {
    why: "server-filesystem tells when a file was made and read",
    change: (line) =>
        line.replace(/(created|modified|accessed): [^\\"]+/g, "$1: TIME"),
  },
];

function settled(lines) {
  return lines.map(
      (line) => alike.reduce((text, {change}) => change(text), line));
}

async function play(name, command, server) {
  if (server.folder !== undefined) {
    fs.rmSync(server.folder, {recursive: true, force: true});
    fs.mkdirSync(server.folder);
  }
  const tap = new Tap(command, server.env);
  try {
    await lists[name].play(tap, server.folder);
  } catch (error) {
    error.message += `; the server said: ${tap.errors.slice(-500)}`;
    throw error;
  }
  return tap;
}

const servers = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
let failed = 0;
for (const [name, list] of Object.entries(lists)) {
  const server = servers[name];
  try {
    assert.ok(server, "nobody said how to start it");
    const direct = await play(name, server.direct, server);
    const carried = await play(name, server.carried, server);
    assert.ok(direct.sent.length > 5 && direct.heard.length > 5);
    for (const way of ["sent", "heard"]) {
      const [one, other] = [settled(direct[way]), settled(carried[way])];
      for (let i = 0; i < Math.max(one.length, other.length); ++i) {
        assert.equal(other[i], one[i], `message ${i + 1} of what was ${way}`);
      }
    }
    assert.deepEqual(carried.exit, direct.exit, "how it ended");
    console.log(`ok: ${name}: ${direct.sent.length} messages sent and ` +
                `${direct.heard.length} heard are the same\n` +
                `    compares ${list.compares}\n    lacks ${list.lacks}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.stack.slice(0, 3000)}`);
  }
}
console.log(`${Object.keys(lists).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
