/** A line protocol over TCP: each line of the client is a command, each line of the server a JSON object. README.md lists them. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { type ComponentKind, TroupeError, toClientError } from "troupe";
import type { InterfaceServices, LogItem, OpenInterface, RunAction } from "troupe/interface";
import { eachFrame, frameData } from "troupe/interface";

const command = /^(?:auth (\S+)|(start|follow|cancel) (agent|team|workflow) (\S+) (.+))$/;

/** Serves the protocol on loopback; port 0 chooses a free port. */
export function lineProtocol(port: number): OpenInterface {
  return async (services) => {
    const closing = new AbortController();
    const server = createServer({ allowHalfOpen: true, keepAlive: true, noDelay: true }, (socket) => {
      const gone = new AbortController();
      socket.once("close", () => gone.abort());
      socket.on("data", () => socket.bytesRead > 1024 * 1024 && socket.destroy());
      const signal = AbortSignal.any([gone.signal, closing.signal]);
      const answering = pipeline(answer(socket, services, signal), socket, { signal });
      answering.then(() => socket.destroySoon()).catch(() => {}); // The client has disconnected, or the server closes.
    });
    await once(server.listen({ port, host: "127.0.0.1", signal: closing.signal }), "listening");
    services.runtime.log.info({ address: server.address() }, "The line protocol listens.");
    return { close: () => closing.abort() };
  };
}

/** Answers the commands of one connection. An error ends the connection, because a web page could hide commands in the body of an HTTP request. */
async function* answer(socket: Socket, services: InterfaceServices, gone: AbortSignal): AsyncGenerator<string> {
  const { gate, runs, streams, runtime } = services;
  const address = socket.remoteAddress ?? "";
  let token: string | undefined;
  try {
    for await (const line of createInterface({ input: socket, signal: gone }))
      for await (const text of execute(line)) yield `${text}\n`;
  } catch (error) {
    if (gone.aborted) return;
    const { code, message, cause } = toClientError(error);
    if (code === "internal") runtime.log.error({ error: cause }, "A command failed.");
    yield `${JSON.stringify({ error: { code, message } })}\n`;
  }

  async function* execute(line: string): AsyncGenerator<string> {
    const [isCommand, given, action, kind, componentId = "", text = ""] = command.exec(line) ?? [];
    if (!isCommand) throw new TroupeError("badRequest", "Send auth, start, follow or cancel with its arguments.");
    token = given ?? token;
    const caller = await gate.authenticate(token, address);
    if (given) return yield JSON.stringify({ event: "authenticated" });
    const component = { kind: kind as ComponentKind, componentId };
    runs.authorize(caller, action as RunAction, component);
    const [runId = "", cursor] = text.split(" ");
    if (action === "cancel") {
      await runs.cancel(caller, { ...component, runId });
      return yield JSON.stringify({ event: "cancelling", run_id: runId });
    }
    const stream = streams.open(caller, address, gone);
    try {
      const isNew = action === "start";
      const run = await (isNew
        ? runs.start(caller, { ...component, message: text, token })
        : runs.find(caller, { ...component, runId }));
      yield JSON.stringify({ event: "following", run_id: run.runId });
      const follow = runs.follow(run, { cursor: isNew ? -1 : Number(cursor) });
      for await (const item of follow(stream.signal)) yield* toLines(item);
      stream.signal.throwIfAborted();
    } finally {
      stream.close();
    }
  }
}

/** The lines for an item of the log. An event is its stored JSON, so it is the same on every connection. */
function* toLines(item: LogItem): Generator<string> {
  if (item.kind === "frames") for (const frame of eachFrame(item.bytes)) yield frameData(frame);
  else if (item.kind === "gap") yield JSON.stringify({ event: "gap", first_available_index: item.firstAvailable });
  else yield JSON.stringify({ event: item.kind, ...("status" in item && { status: item.status }) });
}
