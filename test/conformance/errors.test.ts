import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { asRead } from "./support/answers.ts";
import type { Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer } from "./support/server.ts";

const runs = "/teams/duo-team/runs";

/** [E1]: a JSON body with `detail` and an error code in capitals, and no internal detail. */
function expectError(answer: Pick<Answer, "status" | "headers" | "json" | "text">, status: number): void {
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, "application/json; charset=utf-8"]);
  expect(Object.keys(answer.json)).toEqual(["detail", "error_code"]);
  expect(answer.json.detail).toEqual(expect.any(String));
  expect(answer.json.error_code).toMatch(/^[A-Z_]+$/);
  expect(answer.headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
  expect(answer.text).not.toMatch(/FST_|node:|at \w+ \(|SELECT|\.ts:/);
}

/** Parses the response of a raw exchange. */
function parse(text: string): Pick<Answer, "status" | "headers" | "json" | "text"> {
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  const [first = "", ...fields] = head.split("\r\n");
  const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(": ")));
  return { status: Number(first.split(" ")[1]), headers, text: body, json: JSON.parse(body) };
}

eachServer("[E1] errors that the framework detects", (client) => {
  test("an unknown path returns 404 Not Found", async () => {
    const answer = await client().get("/nope");
    expectError(answer, 404);
    expect(answer.json).toEqual({ detail: "Not Found", error_code: "NOT_FOUND" });
  });

  test("an unknown path returns 404, whatever the size and type of the body", async () => {
    const body = "x".repeat(8 * 1024 * 1024);
    for (const headers of [{}, { "content-type": "a/b" }, { "content-type": "application/json" }] as const) {
      expectError(await client().send("/nope", { method: "POST", headers, body }), 404);
    }
  });

  test("a wrong method returns 405 with Allow, also HEAD and unknown methods", async () => {
    const answer = await client().send("/health", { method: "DELETE" });
    expectError(answer, 405);
    expect(answer.json).toEqual({ detail: "Method Not Allowed", error_code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.allow).toBe("GET, HEAD");
    for (const method of ["POST", "PUT", "PATCH", "OPTIONS", "PROPFIND", "PURGE"]) {
      expectError(await client().send("/agents/x", { method, body: "x" }), 405);
    }
    expect((await client().send(runs, { method: "PUT" })).headers.allow).toBe("GET, POST");
    const head = await client().send("/agents", { method: "HEAD" });
    expect([head.status, head.headers.allow, head.text]).toEqual([405, "GET", ""]);
    expectError(parse(await client().raw("CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")), 405);
  });

  test.each(["Host: localhost", "Authorization: Bearer a"])("the header %s twice returns 400", async (header) => {
    const [name] = header.split(":");
    const once = name === "Host" ? header : `Host: localhost\r\n${header}`;
    const request = `GET /config HTTP/1.1\r\n${once}\r\n${header.toUpperCase()}\r\nConnection: close\r\n\r\n`;
    const answer = parse(await client().raw(request));
    expectError(answer, 400);
    expect(answer.json.detail).toBe(`The request has the header ${name} more than once.`);
  });

  test.each(["", " ", "nonsense", "text/", "a/b; c", "application/x-www-form-urlencoded", "\u00e9/x"])(
    "[S3] the Content-Type %j of a request without a body is ignored",
    async (type) => {
      const send = (method: string, path: string) => client().send(path, { method, headers: { "content-type": type } });
      expect((await send("DELETE", "/sessions/none")).status).toBe(204);
      expect((await send("POST", `${runs}/none/cancel`)).status).toBe(404);
      expect((await send("POST", `${runs}/none/resume`)).status).toBe(404);
      expectError(await send("POST", runs), 422);
    },
  );

  test("the server keeps a short, plain x-request-id, and replaces any other one", async () => {
    const idFor = async (id: string) => (await client().get("/nope", { "x-request-id": id })).headers["x-request-id"];
    for (const id of ["a", "4bf92f35-77b3", "web:1/2~a.b+c=@", "x".repeat(128)]) expect(await idFor(id)).toBe(id);
    for (const id of ["", "two words", "x".repeat(129), "<b>", 'a"b', "\u00e9", "a, b"]) {
      expect([id, await idFor(id)]).toEqual([id, expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)]);
    }
  });

  test("HEAD /health returns the status and headers of GET /health without a body", async () => {
    const got = await client().send("/health", { method: "GET" });
    const { status, headers, text } = await client().send("/health", { method: "HEAD" });
    expect([status, text]).toEqual([200, ""]);
    for (const name of ["content-type", "content-length"])
      expect([name, headers[name]]).toEqual([name, got.headers[name]]);
  });

  test("an invalid percent escape returns 400", async () => {
    for (const path of ["/agents/%zz", "/agents/%", "/agents/%ff", "/agents/%c0%80", "/%zz"]) {
      expectError(await client().get(path), 400);
    }
  });

  test("a body is ignored on GET, and on a POST that reads none", async () => {
    const body = JSON.stringify({ x: 1 });
    for (const type of ["application/json", "text/plain", "a/b"]) {
      const headers = { "content-type": type };
      expect((await client().send("/health", { method: "GET", headers, body })).status).toBe(200);
      expect((await client().send(`${runs}/x/cancel`, { method: "POST", headers, body })).json.detail).toBe(
        "Run not found",
      );
    }
    expect((await client().send("/health", { headers: { "content-type": "application/json" } })).status).toBe(200);
  });

  test("an invalid request line returns 400", async () => {
    for (const line of [
      "GARBAGE\r\n\r\n",
      "GET /health HTTP/9.9\r\n\r\n",
      "GET /hea lth HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]) {
      expectError(parse(await client().raw(line)), 400);
    }
  });

  test("a header that is too long returns 431, an invalid one 400, and a missing or repeated Host 400", async () => {
    const request = (header: string) => `GET /health HTTP/1.1\r\n${header}\r\n\r\n`;
    expectError(parse(await client().raw(request(`Host: localhost\r\nX-Long: ${"x".repeat(70_000)}`))), 431);
    expectError(parse(await client().raw(`GET /${"x".repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)), 431);
    expectError(parse(await client().raw(request("Host: localhost\r\nbad header"))), 400);
    expectError(parse(await client().raw(request("Accept: */*"))), 400);
    expectError(parse(await client().raw(request("Host: localhost\r\nhOsT: example.com"))), 400);
  });

  test("contradictory lengths return 400, and an unknown Expect returns 417", async () => {
    const post = (headers: string) => `POST ${runs} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`;
    expectError(parse(await client().raw(post("Content-Length: 5\r\nTransfer-Encoding: chunked"))), 400);
    expectError(parse(await client().raw(post("Content-Length: -5"))), 400);
    expectError(parse(await client().raw(post("Expect: the-best\r\nContent-Length: 0"))), 417);
  });

  test("the server sends at most one response when an invalid request follows on the connection of a stream", async () => {
    const form = "message=slow+please";
    const post = `POST /agents/plain-agent/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
    const text = await client().raw(`${post}THIS IS NO REQUEST\r\n\r\n`, 1500);
    expect(text.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

const addresses = (id: string): [string, string][] =>
  ["agents", "teams"].flatMap((kind): [string, string][] => [
    ["GET", `/${kind}/${id}`],
    ["GET", `/${kind}/${id}/runs?session_id=s`],
    ["POST", `/${kind}/${id}/runs`],
    ["GET", `/${kind}/${id}/runs/x?session_id=s`],
    ["GET", `/${kind}/x/runs/${id}?session_id=s`],
    ["POST", `/${kind}/x/runs/${id}/cancel`],
    ["POST", `/${kind}/${id}/runs/x/cancel`],
    ["POST", `/${kind}/x/runs/${id}/resume`],
    ["POST", `/${kind}/${id}/runs/x/resume`],
  ]);

const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "message=x&stream=false" };
const sent = (method: string, path: string) =>
  method === "POST" && path.endsWith("/runs") ? { method, ...form } : { method };

eachServer("[E9] ids in paths", (client) => {
  test.each([
    ["NUL", "a%00b"],
    ["a control character", "a%0Ab"],
    ["256 characters", "x".repeat(256)],
    ["10,000 characters", "x".repeat(10_000)],
    ["256 characters of other scripts", encodeURIComponent("é".repeat(256))],
  ])("%s returns 422 on every route", async (_what, id) => {
    for (const [method, path] of addresses(id)) {
      const answer = await client().send(path, sent(method, path));
      expect([method, path.slice(0, 60), answer.status]).toEqual([method, path.slice(0, 60), 422]);
      expectError(answer, 422);
    }
  });

  test.each([
    ["a slash", "a%2Fb"],
    ["a dot segment", "%2E%2E"],
    ["255 characters", "x".repeat(255)],
    ["another script", encodeURIComponent("日本語 \u{1f600}")],
    ["quotes and percent", encodeURIComponent(`'";--%`)],
  ])("%s returns 404 on every route", async (_what, id) => {
    for (const [method, path] of addresses(id)) {
      const answer = await client().send(path, sent(method, path));
      expect([method, path.slice(0, 60), answer.status]).toEqual([method, path.slice(0, 60), 404]);
      expectError(answer, 404);
    }
  });
});

eachServer("[E2] [E9] input that must not cause a server error", (client) => {
  const start = (fields: string) =>
    client().send(runs, { method: "POST", headers: form.headers, body: `message=x&stream=false&${fields}` });

  test("ids in forms and queries that no database can store return 422", async () => {
    for (const id of ["a%00b", "x".repeat(256), "a%0Ab"]) {
      for (const field of ["session_id", "user_id"]) {
        const answer = await start(`${field}=${id}`);
        expectError(answer, 422);
        expect(answer.json.detail).toContain(`body.${field}: `);
      }
      expectError(await client().get(`${runs}?session_id=${id}`), 422);
      expectError(await client().get(`${runs}/x?session_id=${id}`), 422);
      expectError(await client().post(`${runs}/x/cancel?session_id=${id}`), 422);
    }
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    for (const id of ["\\ud800", "\\udc00x", "\\u0000", "x".repeat(300)]) {
      expectError(await client().send(`${runs}/x/resume`, { ...json, body: `{"session_id":"${id}"}` }), 422);
    }
  });

  test("JSON with deep nesting, numbers beyond a double or reserved keys returns 422", async () => {
    const bad = [
      `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
      `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
      '{"a":1e400}',
      '{"a":-1e400}',
      '{"__proto__":{"x":1}}',
      '{"a":{"b":{"__proto__":1}}}',
      "[]",
      "5",
      '"text"',
      "NaN",
      "{'a':1}",
    ];
    for (const field of ["session_state", "metadata", "dependencies", "output_schema"]) {
      for (const json of bad) expectError(await start(`${field}=${encodeURIComponent(json)}`), 422);
    }
    const sentJson = { method: "POST", headers: { "content-type": "application/json" } };
    for (const body of bad.filter((json) => !json.startsWith('{"a"'))) {
      const answer = await client().send(`${runs}/x/resume`, { ...sentJson, body });
      expect([400, 404, 422]).toContain(answer.status);
    }
  });

  test("NUL, lone surrogates and emoji in JSON are stored and read back unchanged", async () => {
    const state = JSON.stringify({ nul: "\0", high: "\ud800", low: "\udfff", emoji: "\u{1f600}", "k\0ey": 1 });
    const fields = {
      message: `\0 \u{1f600} é`,
      stream: "false",
      session_id: "s-texts",
      session_state: state,
      metadata: state,
    };
    const { status, json } = await client().post(runs, fields);
    expect(status).toBe(200);
    expect(json.input.input_content).toBe("\0 \u{1f600} é");
    expect(json.session_state).toMatchObject({ nul: "\0", high: "\ud800", low: "\udfff", "k\0ey": 1 });
    expect((await client().get(`${runs}/${json.run_id}?session_id=s-texts`)).json).toEqual(asRead(json));
    expect((await client().get(`${runs}?session_id=s-texts`)).status).toBe(200);
  });

  test("invalid UTF-8 bytes in a form become replacement characters", async () => {
    const answer = await start("session_id=a%ff%feb");
    expect([answer.status, answer.json.session_id]).toEqual([200, "a\ufffd\ufffdb"]);
  });

  test("a form with too many fields or files returns 422", async () => {
    expectError(await start(Array.from({ length: 2000 }, (_, place) => `f${place}=1`).join("&")), 422);
    const part = (place: number) =>
      `--B\r\nContent-Disposition: form-data; name="files"; filename="${place}.txt"\r\n\r\nx\r\n`;
    const body = `${Array.from({ length: 50 }, (_, place) => part(place)).join("")}--B--\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=B" };
    expectError(await client().send(runs, { method: "POST", headers, body }), 422);
  });

  test("an invalid multipart body returns 422", async () => {
    const open = '--B\r\nContent-Disposition: form-data; name="message"\r\n\r\nhi';
    for (const [type, body] of [
      ["multipart/form-data", `${open}\r\n--B--\r\n`],
      ["multipart/form-data; boundary=", `${open}\r\n--B--\r\n`],
      ["multipart/form-data; boundary=B", open],
      ["multipart/form-data; boundary=B", "no boundary here"],
      ["multipart/form-data; boundary=OTHER", `${open}\r\n--B--\r\n`],
      ["multipart/form-data; boundary=B", "--B\r\n\r\n\r\n--B--\r\n"],
    ] as const) {
      const answer = await client().send(runs, { method: "POST", headers: { "content-type": type }, body });
      expect([type, body.slice(0, 20), answer.status]).toEqual([type, body.slice(0, 20), 422]);
    }
  });

  test("an invalid content type returns 422 with a body, and is ignored without one", async () => {
    for (const type of ["garbage", ";", "a/b; c", "application/json,text/plain", "multipart"]) {
      const headers = { "content-type": type };
      expectError(await client().send(runs, { method: "POST", headers, body: "message=x" }), 422);
      expect((await client().send("/health", { headers })).status).toBe(200);
    }
  });

  test("fields of the wrong type return 422", async () => {
    for (const fields of [
      "version=abc",
      "monitor=maybe",
      "background=2",
      "stream_events=x",
      "images=[5]",
      "files=text",
    ]) {
      expectError(await start(fields), 422);
    }
  });
});

eachServer(
  "[X5] size limits",
  (client) => {
    const multipart = (content: string) =>
      client().send(runs, {
        method: "POST",
        headers: { "content-type": "multipart/form-data; boundary=B" },
        body: `--B\r\nContent-Disposition: form-data; name="message"\r\n\r\nhi\r\n--B\r\nContent-Disposition: form-data; name="stream"\r\n\r\nno\r\n--B\r\n${content}\r\n--B--\r\n`,
      });
    const file = (size: number) =>
      `Content-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${"x".repeat(size)}`;

    test("a body beyond maxBodyBytes returns 413, with a Content-Length and chunked", async () => {
      const body = `message=${"x".repeat(100_000)}`;
      expectError(await client().send(runs, { method: "POST", headers: form.headers, body }), 413);
      const chunked = `POST ${runs} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      expectError(parse(await client().raw(chunked + chunk)), 413);
    });

    test("a body with a content encoding returns 415 and the connection stays usable, and identity is accepted", async () => {
      const send = (coding: string, body: string | Buffer) =>
        client().send(runs, { method: "POST", headers: { ...form.headers, "content-encoding": coding }, body });
      const body = "message=hi&stream=false";
      for (const coding of ["gzip", "klingon", "identity, gzip", "identityx"]) {
        const answer = await send(coding, coding === "klingon" ? body : gzipSync(body));
        expectError(answer, 415);
        expect(answer.headers["accept-encoding"]).toBe("identity");
        expect(answer.json.detail).toContain(`"${coding}"`);
      }
      for (const coding of ["identity", "IDENTITY", "", "identity, identity"])
        expect([coding, (await send(coding, body)).status]).toEqual([coding, 200]);
      const path = "/a2a/agents/plain-agent/v1/message:send";
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      expect((await client().send(path, { method: "POST", headers, body: gzipSync("{}") })).status).toBe(415);
    });

    test("a body far beyond the limit returns 413, and the server stays usable", async () => {
      for (let time = 0; time < 3; time++) {
        const body = `message=${"x".repeat(20_000_000)}`;
        expectError(await client().send(runs, { method: "POST", headers: form.headers, body }), 413);
      }
      expect((await client().get("/health")).status).toBe(200);
    });

    test("a file of maxFileBytes is accepted, a larger one returns 413, and so does text beyond maxBodyBytes", async () => {
      expect((await multipart(file(20_000))).status).toBe(200);
      expectError(await multipart(file(20_001)), 413);
      expectError(await multipart(`Content-Disposition: form-data; name="other"\r\n\r\n${"x".repeat(50_001)}`), 413);
    });

    test("files that together exceed maxUploadBytes return 413, also when some are in a media list", async () => {
      const files = (...sizes: number[]) => multipart(sizes.map(file).join("\r\n--B\r\n"));
      expect((await files(20_000, 10_000)).status).toBe(200);
      const refused = await files(20_000, 10_001);
      expectError(refused, 413);
      expect(refused.json.detail).toBe("The files of the request are together larger than 30000 bytes.");
      const content = Buffer.alloc(10_001).toString("base64");
      const items = `Content-Disposition: form-data; name="input_files"\r\n\r\n[{"content":"${content}"}]`;
      expectError(await multipart(`${file(20_000)}\r\n--B\r\n${items}`), 413);
    });

    test("a message beyond maxMessageBytes returns 413, counted in bytes", async () => {
      expect((await client().post(runs, { message: "é".repeat(500), stream: "no" })).status).toBe(200);
      expectError(await client().post(runs, { message: "é".repeat(501), stream: "no" }), 413);
    });
  },
  () =>
    conformancePlatform({ maxBodyBytes: 50_000, maxFileBytes: 20_000, maxUploadBytes: 30_000, maxMessageBytes: 1000 }),
);

describe("a client that disconnects in the middle of its request", () => {
  eachServer("leaves the server usable", (client) => {
    async function half(server: Client, headers: string, body: string): Promise<void> {
      await server.raw(`POST ${runs} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`, 50);
    }

    test("whichever kind of body it was sending", async () => {
      await half(client(), "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000", "message=x");
      await half(
        client(),
        "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked",
        "5\r\nmess",
      );
      await half(
        client(),
        "Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 1000",
        "--B\r\nContent-Dis",
      );
      await half(client(), "Content-Type: a/b\r\nContent-Length: 1000", "");
      expect((await client().get("/health")).status).toBe(200);
    });
  });
});
