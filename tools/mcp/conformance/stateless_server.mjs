// A server of revision 2026-07-28 on the official package: tools with and
// without structure, one that asks the user in the midst of a call, progress,
// logging, resources, prompts.

import {
  acceptedContent,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import {serveStdio} from "@modelcontextprotocol/server/stdio";
import {z} from "zod";

function make() {
  const server = new McpServer(
      {name: "stateless", version: "1"},
      {capabilities: {logging: {}}, instructions: "For tests."});
  server.registerTool(
      "add",
      {inputSchema: z.object({a: z.number(), b: z.number()}),
       outputSchema: z.object({sum: z.number()}),
       annotations: {readOnlyHint: true}},
      async ({a, b}) => ({content: [{type: "text",
                                     text: JSON.stringify({sum: a + b})}],
                          structuredContent: {sum: a + b}}));
  server.registerTool(
      "fail", {inputSchema: z.object({})},
      async () => ({content: [{type: "text", text: "it did not work"}],
                    isError: true}));
  server.registerTool(
      "steps", {inputSchema: z.object({count: z.number()})},
      async ({count}, context) => {
        const token = context.mcpReq._meta?.progressToken;
        for (let i = 1; i <= count; ++i) {
          await context.mcpReq.notify({
            method: "notifications/progress",
            params: {progressToken: token, progress: i, total: count},
          });
        }
        return {content: [{type: "text", text: `${count} steps`}]};
      });
  server.registerTool(
      "greet", {inputSchema: z.object({})},
      async (_, context) => {
        const given = acceptedContent(context.mcpReq.inputResponses, "who");
        if (given === undefined) {
          return inputRequired({
            inputRequests: {
              who: inputRequired.elicit({
                message: "Who are you?",
                requestedSchema: {type: "object",
                                  properties: {name: {type: "string"}},
                                  required: ["name"]},
              }),
            },
          });
        }
        return {content: [{type: "text", text: `Hello, ${given.name}`}]};
      });
  server.registerTool(
      "wait", {inputSchema: z.object({})},
      (_, context) => new Promise((resolve, reject) => {
        context.mcpReq.signal.addEventListener(
            "abort", () => reject(new Error("cancelled")));
      }));
  server.registerResource(
      "fixed", "test://fixed", {mimeType: "text/plain"},
      async (uri) => ({contents: [{uri: uri.href, text: "héllo 👩‍👩‍👧 שלום"}]}));
  server.registerResource(
      "numbered", new ResourceTemplate("test://{n}", {list: undefined}), {},
      async (uri, {n}) => ({contents: [{uri: uri.href, text: `number ${n}`}]}));
  server.registerPrompt(
      "ask", {argsSchema: z.object({city: z.string()})},
      async ({city}) => ({messages: [{
        role: "user",
        content: {type: "text", text: `How is ${city}?`},
      }]}));
  return server;
}

serveStdio(make, {legacy: "reject"});
