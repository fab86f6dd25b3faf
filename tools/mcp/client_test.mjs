// Drives `tactus mcp serve` by the official clients of both revisions, on the
// focused field of a private desktop: client_test.mjs TACTUS TACTUSD CARRIED.
// CARRIED is JSON of what an agent on another device starts.
//
// The client holds each answer to the schema that the server told, since it
// lists the tools first. What a tool says of the field is compared with what
// the application itself holds.

import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";

import {Client as Later} from "@modelcontextprotocol/client";
import {StdioClientTransport as LaterTransport}
  from "@modelcontextprotocol/client/stdio";
import {Client} from "@modelcontextprotocol/sdk/client/index.js";
import {StdioClientTransport} from "@modelcontextprotocol/sdk/client/stdio.js";

const [tactus, tactusd] = process.argv.slice(2);
const carried = JSON.parse(process.argv[4]);
const direct = {
  command: tactus,
  args: ["mcp", "serve", "--no-daemon"],
  env: process.env,
};
// Of each call, in milliseconds. The machine may be busy; what is late fails.
const patience = 10000;

const held = () => execFileSync(process.env.TACTUS_DESKTOP_DUMP).toString();

// Each lists the tools first, so that the client holds answers to their schemas.
async function connect(server) {
  const client = new Client({name: "tactus-test", version: "1"});
  await client.connect(
      new StdioClientTransport({...server, stderr: "inherit"}));
  await client.listTools();
  return client;
}

// By revision 2026-07-28.
async function connectLater(server) {
  const client = new Later(
      {name: "tactus-test", version: "1"},
      {versionNegotiation: {mode: {pin: "2026-07-28"}}});
  await client.connect(
      new LaterTransport({...server, stderr: "inherit"}));
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  const tools = await client.listTools();
  assert.equal(tools.tools.length, 7);
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
}

// Each field that can be read is chosen, read and edited; a password is chosen
// and keeps the focus. Ends with the first one focused, if the application lets
// it be.
async function chooseFields(client) {
  const list = await call(client, "list_text_fields");
  assert.equal(String(list.application.process_id),
               process.env.TACTUS_DESKTOP_APP_PID);
  assert.equal(list.complete, true);
  // A browser has its address bar beside the fields of the page.
  const fields =
      list.fields.filter((one) => !one.name.startsWith("Address"));
  const plain = fields.filter((one) => !one.secure);
  assert.equal(plain.length, 2);
  assert.equal(fields.length, 3);
  assert.equal(plain.filter((one) => one.focused).length, 1);
  for (const field of [plain[1], plain[0]]) {
    const moved = await call(client, "focus_text_field", {field: field.field});
    assert.equal(moved.outcome, "verified", moved.message);
    const before = await call(client, "read_focused_text");
    const edit = await call(client, "insert_text",
                            {text: "Ω", snapshot: before.snapshot.token});
    assert.equal(edit.outcome, "verified", edit.message);
    const after = await call(client, "read_focused_text");
    assert.equal(after.character_count, before.character_count + 1);
    assert.equal((await call(client, "undo_edit")).outcome, "verified");
  }
  const gone = await call(client, "focus_text_field", {field: "no such field"});
  assert.equal(gone.outcome, "refused");
  assert.equal(gone.reason, "stale");
  assert.equal(gone.next_step, "list_again");
}

const tests = {
  async "an agent reads, edits and undoes without a daemon"() {
    const client = await connect(direct);
    assert.equal(client.getServerVersion().name, "tactus");
    assert.ok(client.getInstructions().includes("untrusted"));
    await readEditUndo(client);
    await client.ping();
    await client.close();
  },

  async "and by the later revision"() {
    const client = await connectLater(direct);
    await readEditUndo(client);
    await client.close();
  },

  async "from another device the same, by both revisions"() {
    for (const start of [connect, connectLater]) {
      const client = await start(carried);
      assert.equal(client.getServerVersion().name, "tactus");
      await readEditUndo(client);
      await client.close();
    }
  },

  async "by the daemon the same, also where one comes and goes"() {
    const client = await connect({...direct, args: ["mcp", "serve"]});
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

  async "an agent chooses the field, here and from another device"() {
    for (const server of [direct, carried]) {
      const client = await connect(server);
      await chooseFields(client);
      await client.close();
    }
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
