/** One interface to the stock JavaScript clients of both versions and bindings, so that one test covers them all. */
import { SendMessageRequest, taskStateToJSON } from "@a2a-js/sdk";
import * as client10 from "@a2a-js/sdk/client";
import * as client03 from "a2a-sdk-0.3/client";

/** A task or an update, in short form. */
export interface Told {
  readonly kind: "task" | "status" | "artifact" | "message";
  readonly taskId: string;
  readonly contextId: string;
  /** In the spelling of 0.3. */
  readonly state?: string | undefined;
  readonly text?: string | undefined;
  readonly append?: boolean | undefined;
  readonly history?: readonly string[] | undefined;
}

/** Options of a message. */
export interface Asked {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly waits?: boolean;
  readonly push?: { readonly url: string; readonly token: string };
  readonly signal?: AbortSignal;
}

export interface Stock {
  send(text: string, asked?: Asked): Promise<Told>;
  stream(text: string, asked?: Asked): AsyncIterable<Told>;
  get(taskId: string, historyLength?: number): Promise<Told>;
  cancel(taskId: string): Promise<Told>;
  resubscribe(taskId: string): AsyncIterable<Told>;
  setPush(taskId: string, id: string, url: string): Promise<{ id: string; url: string }>;
  getPush(taskId: string, id: string): Promise<{ id: string; url: string }>;
  listPush(taskId: string): Promise<readonly string[]>;
  deletePush(taskId: string, id: string): Promise<void>;
}

type Fetch = typeof fetch;

// biome-ignore lint/suspicious/noExplicitAny: both libraries have types of their own for the same things
type Any = any;

/** Adds headers to every request of a client. */
function fetchWith(headers: Readonly<Record<string, string>>): Fetch {
  return (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } });
}

/** Creates the stock client of 1.0 from the URL of a card. */
export async function stock10(card: string, binding: "JSONRPC" | "HTTP+JSON", headers = {}): Promise<Stock> {
  const fetchImpl = fetchWith(headers);
  const transports =
    binding === "JSONRPC"
      ? [new client10.JsonRpcTransportFactory({ fetchImpl })]
      : [new client10.RestTransportFactory({ fetchImpl })];
  const cardResolver = new client10.DefaultAgentCardResolver({ fetchImpl });
  const client = await new client10.ClientFactory({ transports, cardResolver }).createFromUrl(card, "");
  const tenant = "";
  const request = (text: string, { taskId, contextId, waits = true, push }: Asked = {}) =>
    SendMessageRequest.fromJSON({
      message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], taskId, contextId },
      configuration: { returnImmediately: !waits, ...(push && { taskPushNotificationConfig: push }) },
    });
  async function* told(events: AsyncIterable<Any>): AsyncGenerator<Told> {
    for await (const { payload } of events) yield told10(payload);
  }
  return {
    send: async (text, asked) => {
      const value: Any = await client.sendMessage(request(text, asked));
      return told10({ $case: value.status ? "task" : "message", value });
    },
    stream: (text, asked) => told(client.sendMessageStream(request(text, asked), { signal: asked?.signal } as Any)),
    get: async (id, historyLength) =>
      told10({ $case: "task", value: await client.getTask({ id, tenant, historyLength } as Any) }),
    cancel: async (id) => told10({ $case: "task", value: await client.cancelTask({ id, tenant } as Any) }),
    resubscribe: (id) => told(client.resubscribeTask({ id, tenant })),
    setPush: (taskId, id, url) => client.createTaskPushNotificationConfig({ taskId, id, url, tenant } as Any),
    getPush: (taskId, id) => client.getTaskPushNotificationConfig({ taskId, id, tenant }),
    listPush: async (taskId) => {
      const { configs } = await client.listTaskPushNotificationConfig({ taskId, tenant } as Any);
      return configs.map(({ id }) => id);
    },
    deletePush: (taskId, id) => client.deleteTaskPushNotificationConfig({ taskId, id, tenant }),
  };
}

function told10({ $case, value }: Any): Told {
  const name = { taskId: value.taskId || value.id, contextId: value.contextId };
  const state = value.status && taskStateToJSON(value.status.state).replace("TASK_STATE_", "").toLowerCase();
  const textOf = (parts: Any[]) => parts.map(({ content }) => content?.value).join("");
  switch ($case) {
    case "artifactUpdate":
      return { kind: "artifact", ...name, text: textOf(value.artifact.parts), append: value.append };
    case "statusUpdate":
      return { kind: "status", ...name, state: state.replace("_", "-") };
    case "message":
      return { kind: "message", ...name, text: textOf(value.parts) };
    default:
      return {
        ...{ kind: "task", ...name, state: state.replace("_", "-") },
        text: value.artifacts.map(({ parts }: Any) => textOf(parts)).join(""),
        history: value.history.map(({ parts }: Any) => textOf(parts)),
      };
  }
}

/** Creates the stock client of 0.3 from the URL of a card. */
export async function stock03(card: string, binding: "JSONRPC" | "HTTP+JSON", headers = {}): Promise<Stock> {
  const fetchImpl = fetchWith(headers);
  const transports =
    binding === "JSONRPC"
      ? [new client03.JsonRpcTransportFactory({ fetchImpl })]
      : [new client03.RestTransportFactory({ fetchImpl })];
  const cardResolver = new client03.DefaultAgentCardResolver({ fetchImpl });
  const client = await new client03.ClientFactory({ transports, cardResolver } as Any).createFromUrl(card, "");
  const request = (text: string, { taskId, contextId, waits = true, push }: Asked = {}): Any => ({
    message: {
      ...{ kind: "message", messageId: crypto.randomUUID(), role: "user", parts: [{ kind: "text", text }] },
      ...(taskId && { taskId }),
      ...(contextId && { contextId }),
    },
    configuration: { blocking: waits, ...(push && { pushNotificationConfig: push }) },
  });
  async function* told(events: AsyncIterable<Any>): AsyncGenerator<Told> {
    for await (const event of events) yield told03(event);
  }
  return {
    send: async (text, asked) => told03(await client.sendMessage(request(text, asked))),
    stream: (text, asked) => told(client.sendMessageStream(request(text, asked), { signal: asked?.signal } as Any)),
    get: async (id, historyLength) => told03(await client.getTask({ id, historyLength } as Any)),
    cancel: async (id) => told03(await client.cancelTask({ id })),
    resubscribe: (id) => told(client.resubscribeTask({ id })),
    setPush: async (taskId, id, url) =>
      (await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: { id, url } }))
        .pushNotificationConfig as Any,
    getPush: async (id, pushNotificationConfigId) =>
      (await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId } as Any))
        .pushNotificationConfig as Any,
    listPush: async (id) =>
      (await client.listTaskPushNotificationConfig({ id })).map((one) => one.pushNotificationConfig.id ?? ""),
    deletePush: (id, pushNotificationConfigId) =>
      client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId } as Any),
  };
}

function told03(event: Any): Told {
  const name = { taskId: event.taskId ?? event.id, contextId: event.contextId };
  const textOf = (parts: Any[]) => parts.map((part) => part.text ?? JSON.stringify(part.data)).join("");
  switch (event.kind) {
    case "artifact-update":
      return {
        kind: "artifact",
        ...name, // Over HTTP this client drops the member that tells whether a piece is appended.
        text: textOf(event.artifact.parts),
        append: event.append ?? true,
      };
    case "status-update":
      return { kind: "status", ...name, state: event.status.state };
    case "message":
      return { kind: "message", ...name, text: textOf(event.parts) };
    default:
      return {
        ...{ kind: "task", ...name, state: event.status.state },
        text: (event.artifacts ?? []).map(({ parts }: Any) => textOf(parts)).join(""),
        history: (event.history ?? []).map(({ parts }: Any) => textOf(parts)),
      };
  }
}

/** Returns the answer that a client assembles from artifact updates. */
export function answerOf(told: readonly Told[]): string {
  let text = "";
  for (const one of told) if (one.kind === "artifact") text = one.append ? text + one.text : (one.text ?? "");
  return text;
}

/** Reads a stream to its end. */
export async function allOf(stream: AsyncIterable<Told>): Promise<Told[]> {
  const told: Told[] = [];
  for await (const one of stream) told.push(one);
  return told;
}
