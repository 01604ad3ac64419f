/** A collector that receives traces over OTLP/HTTP and decodes the protobuf by the fields of opentelemetry-proto 1.x. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A field: its name, its type, and whether it is a list. */
type Field = readonly [
  name: string,
  type: Schema | "text" | "hex" | "number" | "time" | "double" | "flag",
  list?: "list",
];
type Schema = { readonly [number: number]: () => Field };

const keyValue: Schema = { 1: () => ["key", "text"], 2: () => ["value", anyValue] };
const anyValue: Schema = {
  1: () => ["text", "text"],
  2: () => ["flag", "flag"],
  3: () => ["number", "number"],
  4: () => ["double", "double"],
};
const status: Schema = { 2: () => ["message", "text"], 3: () => ["code", "number"] };
const span: Schema = {
  1: () => ["traceId", "hex"],
  2: () => ["spanId", "hex"],
  4: () => ["parentSpanId", "hex"],
  5: () => ["name", "text"],
  6: () => ["kind", "number"],
  7: () => ["startedAt", "time"],
  8: () => ["endedAt", "time"],
  9: () => ["attributes", keyValue, "list"],
  15: () => ["status", status],
};
const scope: Schema = { 1: () => ["name", "text"], 2: () => ["version", "text"] };
const scopeSpans: Schema = { 1: () => ["scope", scope], 2: () => ["spans", span, "list"] };
const resource: Schema = { 1: () => ["attributes", keyValue, "list"] };
const resourceSpans: Schema = { 1: () => ["resource", resource], 2: () => ["scopeSpans", scopeSpans, "list"] };
const request: Schema = { 1: () => ["resourceSpans", resourceSpans, "list"] };

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

/** An exported span. Times are milliseconds. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message: string | undefined };
  readonly resource: Readonly<Record<string, unknown>>;
}

export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  /** The bodies as text, to search for what must not be there. */
  text = "";
  /** Status of the next answers. */
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.headers.push(request.headers);
      const whole = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole;
      if (this.status === 200 && request.url === "/v1/traces") this.#take(body);
      response.writeHead(this.status, { "content-type": "application/x-protobuf" }).end();
    });
  }

  static async open(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(body: Buffer): void {
    this.text += body.toString("utf8");
    const { resourceSpans } = decode(body, request);
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { spans } of scopeSpans) {
        for (const { attributes, parentSpanId, status, ...given } of spans) {
          this.spans.push({
            ...given,
            parentSpanId: parentSpanId || null,
            attributes: toObject(attributes),
            status: { code: status?.code ?? 0, message: status?.message },
            resource: toObject(resource.attributes),
          });
        }
      }
    }
  }
}

function toObject(attributes: readonly Any[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value ?? {})[0]]));
}

/** Decodes a message (protobuf encoding: tag, then varint, 8 bytes, length and bytes, or 4 bytes). */
function decode(bytes: Buffer, schema: Schema): Any {
  const message: Any = {};
  for (const field of Object.values(schema)) {
    const [name, , list] = field();
    if (list) message[name] = [];
  }
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const field = schema[tag >>> 3]?.();
    let value: unknown;
    switch (tag & 7) {
      case 0: {
        const number = varint();
        value = field?.[1] === "flag" ? number === 1n : Number(BigInt.asIntN(64, number));
        break;
      }
      case 1:
        value = field?.[1] === "double" ? bytes.readDoubleLE(at) : Number(bytes.readBigUInt64LE(at) / 1_000_000n);
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        const part = bytes.subarray(at, at + length);
        at += length;
        const type = field?.[1];
        value = typeof type === "object" ? decode(part, type) : part.toString(type === "hex" ? "hex" : "utf8");
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw new Error(`Wire type ${tag & 7} is not known.`);
    }
    if (!field) continue;
    const [name, , list] = field;
    if (list) message[name].push(value);
    else message[name] = value;
  }
  return message;
}
