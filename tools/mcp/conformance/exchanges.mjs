// What is asked of each server: lists of exchanges, each with what it compares
// and what it lacks. conformance_test.mjs plays a list twice, direct and carried, and
// compares all that was said.
//
// One exchange begins when the one before has ended, so that each way has one
// order; and nothing of a list waits for a clock of the server's.

import assert from "node:assert/strict";

import {Client} from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

// How far it said it was, in order. Of lines: the clients drop what comes in one
// piece with the result.
function progressIn(tap) {
  return tap.heard.map((line) => JSON.parse(line))
      .filter((one) => one.method === "notifications/progress")
      .map((one) => one.params.progress);
}

// A promise that a handler fulfils.
function awaited() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return {promise, resolve};
}

async function everything(tap) {
  const client = new Client(
      {name: "tactus-test", version: "1"},
      {capabilities: {sampling: {}, elicitation: {}, roots: {listChanged: true}}});
  let roots = [{uri: "file:///one", name: "one"}];
  let rooted = awaited();
  client.setRequestHandler(ListRootsRequestSchema, async () => ({roots}));
  client.setRequestHandler(CreateMessageRequestSchema, async (request) => ({
    model: "none", role: "assistant",
    content: {type: "text", text: `to ${request.params.messages.length}`},
  }));
  const answers = ["accept", "decline", "cancel"];
  client.setRequestHandler(ElicitRequestSchema, async () => {
    const action = answers.shift();
    return action === "accept" ?
        {action, content: {name: "Ωmega 🙂", check: true, integer: 7}} :
        {action};
  });
  const logged = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, (message) => {
    logged.push(message.params.data);
    if (String(message.params.data).startsWith("Roots updated")) {
      rooted.resolve();
    }
  });
  const updated = awaited();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema,
                                () => updated.resolve());
  const listed = awaited();
  client.setNotificationHandler(ResourceListChangedNotificationSchema,
                                () => listed.resolve());
  await client.connect(tap);
  // Roots: the server asks for them a while after the handshake.
  await rooted.promise;
  await client.ping();
  // Logging.
  await client.setLoggingLevel("debug");

  // Tools.
  await client.listTools();
  await client.callTool({name: "echo", arguments: {message: "héllo 👩‍👩‍👧"}});
  await client.callTool({name: "echo", arguments: {}});
  await client.callTool({name: "get-sum", arguments: {a: 1, b: 0.5}});
  await client.callTool({name: "get-structured-content",
                         arguments: {location: "Chicago"}});
  await client.callTool({name: "get-tiny-image", arguments: {}});
  await client.callTool({name: "get-annotated-message",
                         arguments: {messageType: "error",
                                     includeImage: true}});
  await client.callTool({name: "get-resource-links", arguments: {count: 3}});
  await client.callTool({name: "get-resource-reference",
                         arguments: {resourceType: "Text", resourceId: 1}});
  await client.callTool({name: "gzip-file-as-resource", arguments: {
    name: "a.gz", data: "data:text/plain,hello", outputType: "resourceLink"}});
  await listed.promise;
  await client.callTool({name: "no-such-tool", arguments: {}});

  // Sampling, elicitation and roots: the server asks in the midst of a call.
  await client.callTool({name: "trigger-sampling-request",
                         arguments: {prompt: "a", maxTokens: 5}});
  for (let i = 0; i < 3; ++i) {
    await client.callTool({name: "trigger-elicitation-request", arguments: {}});
  }
  assert.deepEqual(answers, []);
  await client.callTool({name: "get-roots-list", arguments: {}});
  rooted = awaited();
  roots = [{uri: "file:///two"}, {uri: "file:///three"}];
  await client.sendRootsListChanged();
  await rooted.promise;
  await client.callTool({name: "get-roots-list", arguments: {}});

  // Progress.
  await client.callTool(
      {name: "trigger-long-running-operation",
       arguments: {duration: 0.2, steps: 4}},
      undefined, {onprogress: () => {}});
  assert.deepEqual(progressIn(tap), [1, 2, 3, 4]);
  // Cancellation: after its first step.
  const abort = new AbortController();
  await assert.rejects(client.callTool(
      {name: "trigger-long-running-operation",
       arguments: {duration: 0.3, steps: 3}},
      undefined, {signal: abort.signal, onprogress: () => abort.abort()}));
  // Whatever the server still says of it has been said.
  await new Promise((resolve) => setTimeout(resolve, 700));

  // Resources.
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({uri: "demo://resource/dynamic/text/1"});
  await client.readResource({uri: "demo://resource/dynamic/blob/2"});
  await client.readResource(
      {uri: "demo://resource/static/document/features.md"});
  await assert.rejects(client.readResource({uri: "demo://nothing"}));
  await client.subscribeResource({uri: "demo://resource/dynamic/text/1"});
  await client.callTool({name: "toggle-subscriber-updates", arguments: {}});
  await updated.promise;
  await client.callTool({name: "toggle-subscriber-updates", arguments: {}});
  await client.unsubscribeResource({uri: "demo://resource/dynamic/text/1"});

  // Prompts and completion.
  await client.listPrompts();
  await client.getPrompt({name: "simple-prompt"});
  await client.getPrompt({name: "args-prompt",
                          arguments: {city: "Ürümqi", state: "x"}});
  await client.getPrompt({name: "resource-prompt",
                          arguments: {resourceType: "Text",
                                      resourceId: "1"}});
  await assert.rejects(client.getPrompt({name: "args-prompt"}));
  await client.complete({ref: {type: "ref/prompt", name: "completable-prompt"},
                         argument: {name: "department", value: "S"}});

  // Logging: what is below the level is not sent.
  const before = logged.length;
  await client.subscribeResource({uri: "demo://resource/dynamic/text/3"});
  assert.equal(logged.length, before + 1);
  await client.setLoggingLevel("error");
  await client.subscribeResource({uri: "demo://resource/dynamic/text/4"});
  assert.equal(logged.length, before + 1);
  await client.close();
}

async function filesystem(tap, folder) {
  const client = new Client({name: "tactus-test", version: "1"},
                            {capabilities: {}});
  await client.connect(tap);
  await client.listTools();
  const call = (name, args = {}) => client.callTool({name, arguments: args});
  const at = (name) => `${folder}/${name}`;
  await call("list_allowed_directories");
  await call("write_file", {path: at("a.txt"), content: "one\ntwo\nthrée 🙂\n"});
  await call("read_text_file", {path: at("a.txt")});
  await call("read_text_file", {path: at("a.txt"), head: 1});
  await call("read_text_file", {path: at("a.txt"), tail: 1});
  await call("edit_file", {path: at("a.txt"), dryRun: true,
                           edits: [{oldText: "two", newText: "2"}]});
  await call("edit_file", {path: at("a.txt"),
                           edits: [{oldText: "two", newText: "2"}]});
  await call("create_directory", {path: at("below/deeper")});
  await call("write_file", {path: at("below/b.txt"),
                            content: "b".repeat(300000)});
  await call("read_multiple_files", {paths: [at("a.txt"), at("below/b.txt"),
                                             at("absent")]});
  await call("list_directory", {path: folder});
  await call("list_directory_with_sizes", {path: at("below")});
  await call("directory_tree", {path: folder});
  await call("search_files", {path: folder, pattern: "**/*.txt"});
  await call("move_file", {source: at("a.txt"), destination: at("c.txt")});
  await call("get_file_info", {path: at("c.txt")});
  await call("read_media_file", {path: at("c.txt")});
  await call("read_text_file", {path: "/etc/hostname"});
  await call("edit_file", {path: at("c.txt"),
                           edits: [{oldText: "nothing", newText: "2"}]});
  await client.close();
}

async function paged(tap) {
  const client = new Client({name: "tactus-test", version: "1"},
                            {capabilities: {}});
  const logged = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema,
                                (one) => logged.push(one.params.level));
  await client.connect(tap);
  for (const [list, member] of [["listTools", "tools"],
                                ["listResources", "resources"]]) {
    const all = [];
    let cursor;
    do {
      const part = await client[list](cursor === undefined ? {} : {cursor});
      all.push(...part[member]);
      cursor = part.nextCursor;
    } while (cursor !== undefined);
    assert.equal(all.length, member === "tools" ? 8 : 7);
  }
  await client.setLoggingLevel("warning");
  for (const level of ["debug", "info", "notice", "warning", "error",
                       "critical", "alert", "emergency"]) {
    await client.callTool({name: `log-${level}`});
  }
  assert.deepEqual(logged,
                   ["warning", "error", "critical", "alert", "emergency"]);
  await client.close();
}

async function stateless(tap) {
  const {Client: Later} = await import("@modelcontextprotocol/client");
  const client = new Later(
      {name: "tactus-test", version: "1"},
      {versionNegotiation: {mode: {pin: "2026-07-28"}},
       capabilities: {elicitation: {form: {}}}});
  let asked = 0;
  client.setRequestHandler("elicitation/create", async () => {
    ++asked;
    return {action: "accept", content: {name: "Ωmega 🙂"}};
  });
  await client.connect(tap);
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  await client.listTools();
  const sum = await client.callTool({name: "add", arguments: {a: 1, b: 2}});
  assert.deepEqual(sum.structuredContent, {sum: 3});
  await client.callTool({name: "add", arguments: {a: "x"}});
  await client.callTool({name: "fail", arguments: {}});
  await client.callTool({name: "steps", arguments: {count: 3}},
                        {onprogress: () => {}});
  assert.deepEqual(progressIn(tap), [1, 2, 3]);
  // The server asks by its result; the client calls again with the answer.
  const greeted = await client.callTool({name: "greet", arguments: {}});
  assert.equal(greeted.content[0].text, "Hello, Ωmega 🙂");
  assert.equal(asked, 1);
  const abort = new AbortController();
  const waits = client.callTool({name: "wait", arguments: {}},
                                {signal: abort.signal});
  setTimeout(() => abort.abort(), 100);
  await assert.rejects(waits);
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({uri: "test://fixed"});
  await client.readResource({uri: "test://7"});
  await client.listPrompts();
  await client.getPrompt({name: "ask", arguments: {city: "Ürümqi"}});
  await assert.rejects(client.callTool({name: "no-such-tool"}));
  await client.close();
}

export const lists = {
  everything: {
    play: everything,
    compares: "initialize, ping, tools, resources and their templates, " +
        "subscriptions, prompts, completion, sampling, elicitation, roots, " +
        "progress, cancellation, logging, list_changed",
    lacks: "get-env, which tells the environment of the device that the " +
        "server runs on; tasks, which are random by name and by time; " +
        "simulated logging, whose level is random; pages, of which it has " +
        "none (see paged)",
  },
  filesystem: {
    play: filesystem,
    compares: "each of its tools with structured results, what it denies, " +
        "and a result of 600 kB",
    lacks: "resources, prompts, sampling, elicitation, logging, which it " +
        "has not; roots, which everything compares",
  },
  paged: {
    play: paged,
    compares: "pages of tools and of resources, logging at each level",
    lacks: "pages of prompts and of resource templates, which go the same way",
  },
  stateless: {
    play: stateless,
    compares: "revision 2026-07-28: discovery, tools with structure, errors, " +
        "progress, a result that asks for input, cancellation, resources, " +
        "prompts",
    lacks: "subscriptions/listen, logging, sampling and roots by input " +
        "requests, the double launch of a client that probes first",
  },
};
