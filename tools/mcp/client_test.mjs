// Drives `tactus mcp serve` by the official client of revision 2025-11-25, on
// the focused field of a private desktop: client_test.mjs TACTUS TACTUSD.
//
// The client holds each answer to the schema that the server told, since it
// lists the tools first. What a tool says of the field is compared with what
// the application itself holds.

import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";

import {Client} from "@modelcontextprotocol/sdk/client/index.js";
import {StdioClientTransport} from "@modelcontextprotocol/sdk/client/stdio.js";

const [tactus, tactusd] = process.argv.slice(2);
// Of each call, in milliseconds. The machine may be busy; what is late fails.
const patience = 10000;

const held = () => execFileSync(process.env.TACTUS_DESKTOP_DUMP).toString();

async function connect(...more) {
  const client = new Client({name: "tactus-test", version: "1"});
  const transport = new StdioClientTransport({
    command: tactus,
    args: ["mcp", "serve", ...more],
    env: process.env,
    stderr: "inherit",
  });
  await client.connect(transport);
  await client.listTools();
  return client;
}

// What a tool answers; `isError` is told apart.
async function call(client, name, args = {}) {
  const result = await client.callTool(
      {name, arguments: {deadline_ms: patience, ...args}});
  assert.equal(result.content.length, 1);
  return {...result.structuredContent, isError: result.isError};
}

async function readEditUndo(client) {
  const before = held();
  const read = await call(client, "read_focused_text");
  assert.equal(read.untrusted.text, before);
  assert.equal(read.whole, true);
  assert.equal(read.character_count, [...before].length);
  assert.equal(read.field.secure, false);

  const edit = await call(client, "replace_text", {
    old_text: "héllo",
    new_text: "Ω🙂",
    snapshot: read.snapshot.token,
  });
  assert.equal(edit.outcome, "verified");
  assert.equal(edit.isError, false);
  assert.deepEqual(edit.written, {begin: 0, end: 2});
  const after = before.replace("héllo", "Ω🙂");
  assert.equal(held(), after);

  // The token's life is over.
  const stale = await call(client, "replace_text", {
    old_text: "Ω",
    new_text: "never",
    snapshot: read.snapshot.token,
  });
  assert.equal(stale.outcome, "refused");
  assert.equal(stale.reason, "text-changed");
  assert.equal(stale.next_step, "read_again");
  assert.equal(stale.isError, true);
  assert.equal(held(), after);

  const undone = await call(client, "undo_edit");
  assert.equal(undone.outcome, "verified");
  assert.equal(held(), before);

  const inserted = await call(client, "insert_text", {text: "!"});
  assert.equal(inserted.outcome, "verified");
  assert.equal([...held()].length, [...before].length + 1);
  assert.equal((await call(client, "undo_edit")).outcome, "verified");
  assert.equal(held(), before);

  const list = await call(client, "list_applications");
  const mine = list.applications.filter((one) => one.focused);
  assert.equal(mine.length, 1);
  assert.equal(String(mine[0].process_id), process.env.TACTUS_DESKTOP_APP_PID);
  await client.ping();
}

const tests = {
  async "an agent reads, edits and undoes without a daemon"() {
    const client = await connect("--no-daemon");
    assert.equal(client.getServerVersion().name, "tactus");
    assert.ok(client.getInstructions().includes("untrusted"));
    await readEditUndo(client);
    await client.close();
  },

  async "by the daemon the same, also where one comes and goes"() {
    const client = await connect();
    await readEditUndo(client);
    const daemon = spawn(tactusd, {stdio: "ignore"});
    const gone = new Promise((resolve) => daemon.on("exit", resolve));
    try {
      const status = () => {
        try {
          return JSON.parse(
              execFileSync(tactus, ["status", "--json"], {stdio: "pipe"}));
        } catch {
          return {state: "none"};
        }
      };
      const end = Date.now() + 6 * patience;
      while (status().state !== "connected") {
        assert.ok(Date.now() < end);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await readEditUndo(client);
      execFileSync(tactus, ["pause"]);
      const paused = await call(client, "insert_text", {text: "never"});
      assert.equal(paused.outcome, "refused");
      assert.equal(paused.reason, "paused");
      const listed =
          await client.callTool({name: "list_applications", arguments: {}});
      assert.equal(listed.isError, true);
      execFileSync(tactus, ["resume"]);
    } finally {
      daemon.kill("SIGTERM");
      await gone;
    }
    await readEditUndo(client);
    await client.close();
  },
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    await run();
    console.log(`ok: ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.stack}`);
  }
}
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
