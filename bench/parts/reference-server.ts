/** The reference of all ratios: a bare node:http server that writes the same frames, one write per frame. No log, no routes, no checks. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answer } from "./child.ts";
import type { ReferenceCommands } from "./commands.ts";
import { measureCommands } from "./server-measure.ts";
import { stamp } from "./time.ts";
import { Wheel } from "./wheel.ts";

let frames: readonly string[] = [];
let period = 0;
let isHeld = false;
const wheel = new Wheel();

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    if (period === 0) {
      for (const frame of frames) response.write(frame);
      if (!isHeld) response.end();
      return;
    }
    const start = wheel.now + Math.random() * period;
    let place = 0;
    // The same as the paced model: a message that is a number limits the events.
    const count = Number(/message=(\d+)/.exec(body)?.[1] ?? frames.length);
    const next = (): void => {
      const frame = place < count ? frames[place++] : undefined;
      if (frame === undefined || response.destroyed) return void response.end();
      response.write(frame.replace(/"content":"@\d+ /, `"content":"${stamp()}`));
      wheel.at(start + place * period, next);
    };
    wheel.at(start, next);
  });
});

const commands: ReferenceCommands = {
  ...measureCommands,
  async listen() {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  },
  send(input) {
    frames = input.frames;
    period = input.perSecond > 0 ? 1000 / input.perSecond : 0;
    isHeld = input.held ?? false;
  },
};

answer(commands);
