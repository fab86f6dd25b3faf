// A server of the earlier revision that answers in pages, as the packaged ones
// do not, and logs one message of each level.

import {Server} from "@modelcontextprotocol/sdk/server/index.js";
import {StdioServerTransport} from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const levels = ["debug", "info", "notice", "warning", "error", "critical",
                "alert", "emergency"];
const server = new Server(
    {name: "paged", version: "1"},
    {capabilities: {tools: {}, resources: {}, logging: {}}});

// `all` by threes; a cursor is where the next page begins.
function page(all, cursor) {
  const begin = cursor === undefined ? 0 : Number(cursor);
  const end = begin + 3;
  return {part: all.slice(begin, end),
          ...(end < all.length ? {nextCursor: String(end)} : {})};
}

server.setRequestHandler(ListToolsRequestSchema, async (request) => {
  const all = levels.map((level) => ({name: `log-${level}`,
                                      inputSchema: {type: "object"}}));
  const {part, ...next} = page(all, request.params?.cursor);
  return {tools: part, ...next};
});
server.setRequestHandler(ListResourcesRequestSchema, async (request) => {
  const all = [...Array(7).keys()].map(
      (n) => ({uri: `test://${n}`, name: `number ${n}`}));
  const {part, ...next} = page(all, request.params?.cursor);
  return {resources: part, ...next};
});
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  const level = request.params.name.slice(4);
  await server.sendLoggingMessage({level, logger: "paged", data: {level}});
  return {content: [{type: "text", text: level}]};
});
await server.connect(new StdioServerTransport());
