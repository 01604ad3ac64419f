/** The listing of runs: filters, listing across sessions, and pages. */
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Client, Fields } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer } from "./support/server.ts";

interface Element {
  run_id: string;
  status: string;
  run_input: string;
  events: { event: string; event_index: number }[] | null;
}

const run = (client: Client, path: string, fields: Fields) =>
  client.post(path, { message: "hello", stream: false, ...fields });

describe.each([
  ["agent", "/agents/plain-agent/runs"],
  ["team", "/teams/duo-team/runs"],
] as const)("the listing of runs of a %s", (kind, path) => {
  eachServer("", (client) => {
    const inputs = async (query: string): Promise<string[]> => {
      const { status, json } = await client().get(`${path}?${query}`);
      expect([status, json]).toEqual([200, expect.any(Array)]);
      return (json as Element[]).map(({ run_input }) => run_input);
    };

    test('[W4] [W19] without session_id returns runs of all sessions, and its pages, linked by rel="next", contain every run once', async () => {
      for (let n = 0; n < 5; n++) await run(client(), path, { message: `page ${n}`, session_id: `p${n % 2}` });
      const whole = await inputs("");
      expect(whole).toEqual(["page 0", "page 1", "page 2", "page 3", "page 4"]);
      expect(await inputs("sort_order=desc&limit=2")).toEqual(["page 4", "page 3"]);
      for (const query of ["limit=2", "session_id=p0&limit=1", "sort_order=desc&limit=3", "limit=5"]) {
        const all = await inputs(query.replace(/limit=\d/, "limit=1000"));
        const seen: string[] = [];
        for (let next: string | undefined = `${path}?${query}`; next; ) {
          const { json, headers } = await client().get(next);
          expect(json.length).toBeLessThanOrEqual(Number(/limit=(\d)/.exec(query)?.[1]));
          seen.push(...(json as Element[]).map(({ run_input }) => run_input));
          next = /^<(.+)>; rel="next"$/.exec(String(headers.link ?? ""))?.[1];
        }
        expect(seen).toEqual(all);
      }
    });

    test("of one session returns its newest run even without a limit", async () => {
      const sent = { session_id: `${kind}-many`, stream: false, background: true };
      for (let n = 0; n < 101; n++) await run(client(), path, { message: `many ${n}`, ...sent });
      expect((await inputs(`session_id=${kind}-many`)).at(-1)).toBe("many 100");
      expect(await inputs("")).toHaveLength(100);
      await eventually(async () => expect(await inputs(`session_id=${kind}-many&status=COMPLETED`)).toHaveLength(101));
    });

    test("returns 422 for an invalid cursor, limit, time or order", async () => {
      for (const query of [
        "cursor=nonsense",
        "cursor=WzFd",
        "limit=0",
        "limit=1001",
        "created_after=x",
        "sort_order=up",
      ]) {
        const { status, json } = await client().get(`${path}?${query}`);
        expect([query, status, json.error_code]).toEqual([query, 422, "VALIDATION_ERROR"]);
      }
    });

    test("[W5] returns 422 for a cursor beyond the range of run positions, and 200 for the greatest valid one", async () => {
      const session = `${kind}-cursors`;
      await run(client(), path, { session_id: session });
      const status = async (url: string, place: readonly number[]): Promise<number> => {
        const cursor = Buffer.from(JSON.stringify(place)).toString("base64url");
        return (await client().get(`${url}cursor=${cursor}`)).status;
      };
      const most = Number.MAX_SAFE_INTEGER;
      for (const url of [`${path}?session_id=${session}&`, `${path}?`, `/sessions/${session}/runs?`]) {
        expect([url, await status(url, [most, most, most, 2 ** 31 - 1])]).toEqual([url, 200]);
        expect([url, await status(url, [most, most, most, 2 ** 31])]).toEqual([url, 422]);
        expect([url, await status(url, [most, most, most, most])]).toEqual([url, 422]);
      }
    });

    test("[W5] [W6] [W7] [W20] [T1] filters by one or several statuses in exact upper case, and an empty status is ignored", async () => {
      const session = { session_id: "states" };
      await run(client(), path, { message: "hello", ...session });
      await run(client(), path, { message: "explode", ...session });
      const left = await client().stream(path, { message: "endless", ...session });
      await left.untilEvents(4);
      expect(await inputs("session_id=states&status=COMPLETED")).toEqual(["hello"]);
      expect(await inputs("session_id=states&status=ERROR")).toEqual(["explode"]);
      expect(await inputs("session_id=states&status=RUNNING")).toEqual(["endless"]);
      expect(await inputs("session_id=states&status=RUNNING&status=ERROR")).toEqual(["explode", "endless"]);
      for (const status of ["PAUSED", "PENDING", "CANCELLED", "REGENERATED"])
        expect(await inputs(`session_id=states&status=${status}`)).toEqual([]);
      expect(await inputs("session_id=states&status=")).toHaveLength(3);
      for (const status of ["completed", "DONE", "COMPLETED&status=running"]) {
        const answer = await client().get(`${path}?session_id=states&status=${status}`);
        expect([status, answer.status]).toEqual([status, 422]);
      }
      await client().post(`${path}/${left.runId}/cancel`);
      await left.all();
      expect(await inputs("session_id=states&status=CANCELLED")).toEqual(["endless"]);
    });

    test("filters by user and by time", async () => {
      const before = Math.floor(Date.now() / 1000) - 5;
      await run(client(), path, { message: "anna's", session_id: "u1", user_id: "anna" });
      await run(client(), path, { message: "ben's", session_id: "u2", user_id: "ben" });
      expect(await inputs("user_id=anna")).toEqual(["anna's"]);
      expect(await inputs(`user_id=ben&created_after=${before}`)).toEqual(["ben's"]);
      expect(await inputs(`user_id=ben&created_after=${before + 1000}`)).toEqual([]);
      expect(await inputs(`user_id=ben&created_before=${before}`)).toEqual([]);
    });

    test("[P8] shows a background run in progress, and then as COMPLETED", async () => {
      const started = await client().post(path, { message: "slow", stream: false, background: true, session_id: "bg" });
      expect(started.status).toBe(202);
      const states = new Set<string>();
      await eventually(async () => {
        const [element] = (await client().get(`${path}?session_id=bg`)).json as Element[];
        states.add(element!.status);
        expect(element).toMatchObject({ run_id: started.json.run_id, status: "COMPLETED" });
      });
      expect([...states].filter((status) => !["PENDING", "RUNNING", "COMPLETED"].includes(status))).toEqual([]);
      expect(states.size).toBeGreaterThan(1);
    });

    test("has the events of streamed runs without content pieces, and null for other runs", async () => {
      await run(client(), path, { session_id: "ev" });
      const streamed = await client().stream(path, { message: "hello", session_id: "ev" });
      const frames = (await streamed.all()).filter(({ event }) => !event?.endsWith("RunContent"));
      const [plain, other] = (await client().get(`${path}?session_id=ev`)).json as Element[];
      expect(plain!.events).toBeNull();
      expect(other!.events).toEqual(frames.map(({ data }) => data));
      expect(other!.events!.length).toBeGreaterThan(3);
      const record = await client().get(`${path}/${streamed.runId}?session_id=ev`);
      expect(record.json.events).toEqual(other!.events);
      expect((await client().get(`${path}/${plain!.run_id}?session_id=ev`)).json.events).toEqual([]);
    });

    test(`returns 404 for an unknown ${kind}`, async () => {
      expect((await client().get(path.replace(/-\w+\/runs/, "-none/runs"))).status).toBe(404);
    });
  });
});

eachServer(
  "pages of large runs",
  (client) => {
    test.each(["/agents/plain-agent/runs?session_id=large&limit=7", "/sessions/large/runs?limit=7"])(
      "%s ends a page early, and the next pages have the other runs [W19] [L8]",
      async (path) => {
        const made = [];
        for (let count = 0; count < 6; count++) {
          const fields = { message: `x${count}`.repeat(1_000), stream: false, session_id: "large" };
          made.push((await client().post("/agents/plain-agent/runs", fields)).json.run_id);
        }
        const read: string[] = [];
        let pages = 0;
        for (let next: string | undefined = path; next !== undefined; pages++) {
          const { status, json, headers } = await client().get(next);
          expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
          expect(json.length).toBeGreaterThan(0);
          expect(json.length).toBeLessThan(4);
          read.push(...json.map(({ run_id }: { run_id: string }) => run_id));
          next = /<(.+)>/.exec(String(headers.link ?? ""))?.[1];
        }
        expect(read.slice(-made.length)).toEqual(made);
        expect(pages).toBeGreaterThan(2);
      },
    );

    test("a session's chat_history has the newest runs that fit the limit, and always the last one", async () => {
      const saidIn = async (): Promise<string[]> => {
        const { chat_history } = (await client().get("/sessions/long")).json;
        return chat_history.flatMap(({ role, content }: Record<string, string>) =>
          role === "user" ? [content![0]] : [],
        );
      };
      const say = (letter: string, length: number) =>
        client().post("/agents/plain-agent/runs", {
          message: letter.repeat(length),
          stream: false,
          session_id: "long",
        });
      for (const letter of "abcdefg") await say(letter, 300);
      expect((await saidIn()).join("")).toBe("abcdefg");
      await say("h", 4_000);
      expect((await saidIn()).join("")).toBe("h");
      for (const letter of "ijkl") await say(letter, 1_000);
      expect((await saidIn()).join("")).toBe("jkl");
      await say("m", 9_000);
      expect((await saidIn()).join("")).toBe("m");
    });
  },
  () => conformancePlatform({ maxListingBytes: 8_000 }),
);
