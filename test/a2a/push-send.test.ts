import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { headersOf, type NotificationFacts } from "../../src/interfaces/a2a/push/headers.ts";
import type { PushTarget } from "../../src/model/push.ts";
import { DeliveryFailed, type SendOptions, send as sendTo } from "../../src/runs/outbound/send.ts";
import { testRuntime } from "../support/runtime.ts";

const notification = { id: "run/7", contentType: "application/json", body: '{"kind":"task","text":"ü"}' };

function send(
  to: PushTarget,
  { body, ...facts }: NotificationFacts & { readonly body: string },
  options: SendOptions,
): Promise<number> {
  return sendTo(to, { headers: headersOf(to, facts), body }, options);
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Starts a local receiver. Returns its URL and port, and the requests that it received. */
async function receiver(
  answer: (response: ServerResponse) => void,
): Promise<{ url: string; got: Received[]; port: number }> {
  const got: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    got.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?x=1`, got, port };
}

const options = (change: Partial<Parameters<typeof send>[2]> = {}): Parameters<typeof send>[2] => ({
  rules: { allowHttp: true, allowPrivate: true },
  clock: testRuntime.clock,
  timeout: 5_000,
  signal: new AbortController().signal,
  ...change,
});

const target = (url: string, change: Partial<PushTarget> = {}): PushTarget => ({
  id: "a",
  url,
  version: "0.3",
  ...change,
});

async function failureOf(work: Promise<number>): Promise<DeliveryFailed> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryFailed);
  return error as DeliveryFailed;
}

describe("the request of a push notification", () => {
  test("is a POST of JSON with the target's token and credentials and the notification's id and signature", async () => {
    const { url, got, port } = await receiver((response) => response.writeHead(202).end("thanks"));
    const authentication = { schemes: ["Basic", "Bearer"], credentials: "dTpw" };
    await send(target(url, { token: "secret", authentication }), { ...notification, signature: "jwt" }, options());
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ method: "POST", url: "/hook?x=1", body: notification.body });
    expect(got[0]?.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      "content-type": "application/json",
      authorization: "Basic dTpw",
      "x-a2a-notification-token": "secret",
      "x-a2a-notification-id": "run/7",
      "x-a2a-notification-signature": "jwt",
    });
  });

  test("has the signature as its bearer token if the target has no credentials, and no authorization without a signature", async () => {
    const { url, got } = await receiver((response) => response.end());
    await send(target(url), { ...notification, signature: "jwt" }, options());
    await send(target(url), notification, options());
    expect(got.map(({ headers }) => headers.authorization)).toEqual(["Bearer jwt", undefined]);
    expect(got[1]?.headers["x-a2a-notification-token"]).toBeUndefined();
  });

  test.each([
    [500, false],
    [429, false],
    [401, false],
    [410, true],
    [404, true],
  ])("fails at the status %i; the failure is final: %s", async (status, isFinal) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await failureOf(send(target(url), notification, options()))).toMatchObject({ isFinal });
  });

  test("fails at a redirect, which is not followed", async () => {
    const inner = await receiver((response) => response.end());
    const { url } = await receiver((response) => response.writeHead(307, { location: inner.url }).end());
    expect((await failureOf(send(target(url), notification, options()))).message).toContain("307");
    expect(inner.got).toEqual([]);
  });

  test("fails for a private address without a connection, and the failure is final", async () => {
    const { url, got } = await receiver((response) => response.end());
    const rules = { allowHttp: true, allowPrivate: false };
    expect(await failureOf(send(target(url), notification, options({ rules })))).toMatchObject({ isFinal: true });
    expect(got).toEqual([]);
  });

  test("fails after the timeout without an answer, and when the process ends", async () => {
    const { url } = await receiver(() => undefined);
    expect(await failureOf(send(target(url), notification, options({ timeout: 100 })))).toMatchObject({
      isFinal: false,
    });
    const ending = new AbortController();
    const sending = failureOf(send(target(url), notification, options({ signal: ending.signal })));
    ending.abort();
    expect((await sending).message).toBe("the process ends");
  });

  test("succeeds at status 200 although the response body never ends", async () => {
    const { url } = await receiver((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    });
    await send(target(url), notification, options());
  });

  test("fails if the target upgrades or closes the connection; the failure is not final", async () => {
    for (const words of ["HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", ""]) {
      const server = createTcpServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => (words === "" ? socket.end() : socket.write(words)));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      expect(await failureOf(send(target(url), notification, options()))).toMatchObject({ isFinal: false });
    }
  });

  test("goes to the addresses of one lookup, whichever of them accepts the connection; a private one fails finally", async () => {
    const { port, got } = await receiver((response) => response.end());
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      // A second lookup returns other addresses.
      const where = asked.length === 1 ? ["127.0.0.3", "127.0.0.1"] : ["127.0.0.3"];
      return where.map((address) => ({ address, family: 4 }));
    };
    await send(target(`http://client.example.:${port}/`), notification, options({ resolve }));
    expect([got.length, asked, got[0]?.headers.host]).toEqual([1, ["client.example"], `client.example.:${port}`]);
    const rules = { allowHttp: true, allowPrivate: false };
    const refused = await failureOf(send(target("http://client.example/"), notification, options({ resolve, rules })));
    expect(refused).toMatchObject({ isFinal: true });
  });

  test("fails if the connection is refused; the failure is not final", async () => {
    const { url } = await receiver((response) => response.end());
    const closed = url.replace(/:\d+/, ":2");
    expect(await failureOf(send(target(closed), notification, options()))).toMatchObject({ isFinal: false });
  });
});
