import { describe, expect, test } from "vitest";
import { defaultSettings } from "../../src/model/settings.ts";
import type { Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { sqliteServer } from "./support/server.ts";

const runs = "/agents/plain-agent/runs";
const boundary = "limit";

function field(name: string, value: string, more = ""): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

const form = [field("message", "hi"), field("stream", "false")].join("");
const end = `--${boundary}--\r\n`;

function postForm(client: Client, body: string): Promise<Answer> {
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return client.send(runs, { method: "POST", headers, body });
}

const maxUploadBytes = 64 * 1024;

// The server reads bodies before it asks the database, so one database is enough.
describe("malicious request bodies", () => {
  const client = sqliteServer(conformancePlatform({ maxUploadBytes }));

  test("a form of two million fields returns 422 before it is parsed", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    // The platform's own parser would block the process for a minute.
    for (const body of ["a&".repeat(2_000_000), "a=1&".repeat(1_000_000)]) {
      const answer = await client().send(runs, { method: "POST", headers, body });
      expect([answer.status, answer.json.detail]).toEqual([422, "body: The form has more than 100 fields"]);
    }
    const empty = await client().send(runs, { method: "POST", headers, body: `${"&".repeat(4_000_000)}stream=false` });
    expect([empty.status, empty.json.detail]).toEqual([422, "body.message: Field required"]);
  });

  test("a JSON text in the files field is not an uploaded file: 422", async () => {
    const forged = { filename: "a.txt", mediaType: "text/plain", data: { length: -1e12 } };
    for (const files of [[{}], [["x"]], [forged], [{ ...forged, data: "text" }], ["text"], [null]]) {
      const answer = await client().post(runs, { message: "hi", stream: false, files: JSON.stringify(files) });
      expect([answer.status, answer.json.detail]).toEqual([422, expect.stringContaining("body.files.0")]);
    }
    expect((await client().post(runs, { message: "hi", stream: false, files: "[]" })).status).toBe(200);
  });

  test("bytes before and after the parts of a multipart body count towards the limit: 413", async () => {
    const padding = "x".repeat(defaultSettings.maxBodyBytes + maxUploadBytes + 1024 * 1024);
    for (const body of [`${padding}\r\n${form}${end}`, `${form}${end}${padding}`]) {
      const answer = await postForm(client(), body);
      expect([answer.status, answer.json.error_code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    }
    expect((await postForm(client(), `a preamble\r\n${form}${end}an epilogue`)).status).toBe(200);
  });

  test("an output_schema that expands exponentially returns 422 and starts no run", async () => {
    const doubled = (levels: number): string => {
      const both = (next: number) => ({ anyOf: [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }] });
      const $defs = Array.from({ length: levels }, (_, level) => [`d${level}`, both(level + 1)]);
      return JSON.stringify({ $ref: "#/$defs/d0", $defs: { ...Object.fromEntries($defs), [`d${levels}`]: {} } });
    };
    const circle = JSON.stringify({ $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } });
    for (const kind of ["agents/plain-agent", "teams/duo-team"]) {
      for (const output_schema of [doubled(12), doubled(26), circle]) {
        const form = { message: "hi", stream: false, session_id: "exponential", output_schema };
        const { status, json } = await client().post(`/${kind}/runs`, form);
        expect([status, json.detail]).toEqual([422, expect.stringContaining("invalid_output_schema")]);
      }
    }
    expect((await client().get("/sessions/exponential")).status).toBe(404);
  });
});
