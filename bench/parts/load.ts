/** The load client, a separate process. */
import { answer } from "./child.ts";
import type {
  BurstInput,
  BurstResult,
  KeepInput,
  LoadCommands,
  RequestsInput,
  RequestsResult,
  SocketBurstInput,
  Window,
} from "./commands.ts";
import { Connection, formRequest } from "./connection.ts";
import { exchange, stream } from "./exchanges.ts";
import { SocketClient } from "./socket-frames.ts";
import { percentile } from "./statistics.ts";
import { now, sleep } from "./time.ts";

async function burst({ port, requests, connections, rounds, hasGaps }: BurstInput): Promise<BurstResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const firsts: number[] = [];
  const wholes: number[] = [];
  const runIds: string[] = [];
  let events = 0;
  let milliseconds = 0;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    await Promise.all(
      open.map(async (connection, place) => {
        const text = requests[(round * connections + place) % requests.length] ?? "";
        const result = await stream(connection, { text, hasGaps });
        events += result.events;
        firsts.push(result.first);
        wholes.push(now() - start);
        if (result.runId) runIds.push(result.runId);
      }),
    );
    milliseconds += now() - start;
    await sleep(50);
  }
  for (const connection of open) connection.close();
  const [firstP50, firstP99] = [percentile(firsts, 0.5), percentile(firsts, 0.99)];
  return { events, seconds: milliseconds / 1000, firstP50, firstP99, wholeP50: percentile(wholes, 0.5), runIds };
}

async function socketBurst({ port, workflowId, connections, rounds }: SocketBurstInput): Promise<{ seconds: number }> {
  const open = Array.from({ length: connections }, () => SocketClient.open(port, "/workflows/ws"));
  const sockets = await Promise.all(open);
  const message = JSON.stringify({ action: "start-workflow", workflow_id: workflowId, message: "Hello" });
  let milliseconds = 0;
  for (let round = 0; round < rounds; round++) {
    const start = now();
    await Promise.all(sockets.map((socket) => socket.send(message, isLast)));
    milliseconds += now() - start;
    await sleep(50);
  }
  for (const socket of sockets) socket.close();
  return { seconds: milliseconds / 1000 };
}

/** Whether a message is the last event of a workflow's run. @throws Error for an error */
function isLast(text: string): boolean {
  const start = text.slice(0, 100);
  if (/"event": ?"(error|WorkflowError)"/.test(start)) throw new Error(text);
  return start.includes('"event":"WorkflowCompleted"');
}

let latencies: number[] = [];
let events = 0;
let ended = 0;
let faults: string[] = [];

/** A stream that is kept open, and the run that it shows. */
interface KeptStream {
  readonly port: number;
  readonly connection: Connection;
  runId: string | undefined;
}

interface KeptStreams {
  again: boolean;
  readonly streams: KeptStream[];
  over: Promise<unknown>;
}

let kept: KeptStreams | undefined;

const watching = {
  emitted: (milliseconds: number): void => {
    latencies.push(milliseconds);
  },
  progress: (count: number): void => {
    events += count;
  },
};

async function keep({ ports, request, first = [], connections, ramp, again }: KeepInput): Promise<void> {
  const group: KeptStreams = { again, streams: [], over: Promise.resolve() };
  kept = group;
  const reading: Promise<void>[] = [];
  const start = now();
  for (let place = 0; place < connections; place++) {
    const wait = start + (place * ramp) / connections - now();
    if (wait > 1) await sleep(wait);
    const port = ports[place % ports.length] ?? 0;
    const one: KeptStream = { port, connection: await Connection.open(port), runId: undefined };
    group.streams.push(one);
    const texts = [first[place % first.length] ?? request, request] as const;
    reading.push(read(one, texts, group).catch((error: unknown) => void faults.push(String(error))));
  }
  group.over = Promise.all(reading);
}

async function read(one: KeptStream, [first, next]: readonly [string, string], group: KeptStreams): Promise<void> {
  const begun = (runId: string | undefined): void => {
    one.runId = runId;
  };
  let text = first;
  do {
    await stream(one.connection, { text, begun, ...watching });
    one.runId = undefined;
    ended++;
    text = next;
  } while (group.again);
}

function window(): Window {
  const [latencyP50, latencyP99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const result = { events, ended, latencyP50, latencyP99, faults };
  latencies = [];
  events = ended = 0;
  faults = [];
  return result;
}

async function release({ wait, cancel }: { wait: boolean; cancel?: string }): Promise<void> {
  if (!kept) return;
  kept.again = false;
  if (cancel !== undefined) await cancelRuns(kept.streams, cancel);
  if (wait) await kept.over;
  for (const { connection } of kept.streams) connection.close();
}

/** Cancels the streams' runs, if the server has given them ids. */
async function cancelRuns(streams: readonly KeptStream[], path: string): Promise<void> {
  for (const port of new Set(streams.map((one) => one.port))) {
    const connection = await Connection.open(port);
    for (const one of streams) {
      if (one.port === port && one.runId) await exchange(connection, formRequest(`${path}/${one.runId}/cancel`, {}));
    }
    connection.close();
  }
}

async function requests({ port, request, connections, total }: RequestsInput): Promise<RequestsResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const each: number[] = [];
  const texts = typeof request === "string" ? [request] : request;
  let sent = 0;
  const start = now();
  await Promise.all(
    open.map(async (connection) => {
      while (sent < total) {
        const text = texts[sent++ % texts.length] ?? "";
        each.push((await exchange(connection, text)).milliseconds);
      }
    }),
  );
  const seconds = (now() - start) / 1000;
  for (const connection of open) connection.close();
  return { perSecond: each.length / seconds, p50: percentile(each, 0.5), p99: percentile(each, 0.99), each };
}

async function capture({ port, request }: { port: number; request: string }): Promise<readonly string[]> {
  const connection = await Connection.open(port);
  let all = "";
  return await new Promise((resolve, reject) => {
    connection.send(request, {
      head(status, head) {
        if (status !== 200) reject(new Error(head));
      },
      body(text) {
        all += text;
        if (!all.endsWith("\r\n0\r\n\r\n")) return false;
        connection.close();
        resolve([...all.matchAll(/event: .*\ndata: .*\nid: \d+\n\n/g)].map(([frame]) => frame));
        return true;
      },
      broken: reject,
    });
  });
}

async function start({ port, request }: { port: number; request: string }): Promise<string> {
  const connection = await Connection.open(port);
  const { body } = await exchange(connection, request);
  connection.close();
  return (JSON.parse(body) as { run_id: string }).run_id;
}

const commands: LoadCommands = { burst, socketBurst, keep, window, release, requests, capture, start };

answer(commands);
