// A client's transport that starts a server and keeps every line of both ways,
// as the very bytes: what a conversation is compared by.
//
//   const tap = new Tap([...command], env);
//   await client.connect(tap);
//   ...
//   await client.close();
//   tap.sent, tap.heard     // lines, in their order; tap.exit: {code, signal}
//
// Both generations of the official clients take it. What a server writes to its
// standard error is kept apart and is not compared.

import {spawn} from "node:child_process";

// For a server to end by itself when its input has ended. One that does not is
// killed, and that is told.
const grace = 20000;

export class Tap {
  constructor(command, env) {
    this.command = command;
    this.env = env;
    this.sent = [];
    this.heard = [];
    this.errors = "";
    this.exit = null;
  }

  async start() {
    this.child = spawn(this.command[0], this.command.slice(1),
                       {env: this.env, stdio: ["pipe", "pipe", "pipe"]});
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        if (this.rest.length > 0) this.heard.push(this.rest.toString("utf8"));
        this.exit = {code, signal};
        this.onclose?.();
        resolve();
      });
      this.child.on("error", (error) => {
        this.onerror?.(error);
        resolve();
      });
    });
    this.child.stdin.on("error", () => {});
    this.child.stderr.on("data", (data) => {
      this.errors = (this.errors + data).slice(-4096);
    });
    this.rest = Buffer.alloc(0);
    this.child.stdout.on("data", (data) => {
      this.rest = Buffer.concat([this.rest, data]);
      for (let end; (end = this.rest.indexOf(0x0a)) >= 0;) {
        const line = this.rest.subarray(0, end).toString("utf8");
        this.rest = this.rest.subarray(end + 1);
        this.heard.push(line);
        let message;
        try {
          message = JSON.parse(line);
        } catch (error) {
          this.onerror?.(error);
          continue;
        }
        this.onmessage?.(message);
      }
    });
  }

  async send(message) {
    const line = JSON.stringify(message);
    this.sent.push(line);
    this.child.stdin.write(line + "\n");
  }

  async close() {
    this.child.stdin.end();
    const late = setTimeout(() => this.child.kill("SIGKILL"), grace);
    await this.ended;
    clearTimeout(late);
  }
}
