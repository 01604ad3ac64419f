/**
 * The cost of sending one event to 500 sockets: through Node's response, and as a pre-built chunk (as src/http does it).
 * Usage: node --conditions=troupe-source bench/trials/chunked-writes.ts [rounds]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { fileURLToPath } from "node:url";
import { StreamOutput } from "../../src/http/streams/stream-output.ts";

const [role, rounds = "300"] = process.argv.slice(2).includes("client") ? ["client"] : ["server", process.argv[2]];
const connections = 500;
const frame = Buffer.from(`event: RunContent\ndata: ${"x".repeat(300)}\nid: 12\n\n`);

if (role === "client") await read(Number(process.argv[3]));
else await serve();

async function serve(): Promise<void> {
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    responses.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = fork(fileURLToPath(import.meta.url), ["client", String((server.address() as AddressInfo).port)]);
  while (responses.length < connections) await turn(20);
  const outputs = responses.map((response) => new StreamOutput(response, ""));
  await turn(300);
  for (let pass = 0; pass < 3; pass++) {
    await measure("response.write", () => responses.forEach((response) => void response.write(frame)));
    await measure("whole chunks", () => outputs.forEach((output) => void output.write(frame)));
  }
  client.kill();
  process.exit();
}

async function measure(name: string, writeAll: () => void): Promise<void> {
  const before = process.cpuUsage();
  for (let round = 0; round < Number(rounds); round++) {
    writeAll();
    await turn(8);
  }
  const { user, system } = process.cpuUsage(before);
  const each = (microseconds: number): string => (microseconds / connections / Number(rounds)).toFixed(2);
  console.log(`${name}: ${each(user + system)} us of CPU a write, of it ${each(system)} in the system`);
}

async function read(port: number): Promise<void> {
  const onread = { buffer: Buffer.alloc(65_536), callback: () => true };
  for (let count = 0; count < connections; count++) {
    connect({ port, host: "127.0.0.1", onread }).write("GET / HTTP/1.1\r\nhost: t\r\n\r\n");
  }
}

function turn(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
