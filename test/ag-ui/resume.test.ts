/** Streams of AG-UI that are cut: the client repeats its request with the id of the last frame. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { type Frame, framesOf, inputOf, type Json, post, run } from "./support/client.ts";
import { desk } from "./support/desk.ts";

const textsOf = (frames: readonly Frame[]): string[] => frames.map(({ text }) => text);

eachDatabase("a cut", (openDatabase) => {
  test("at every frame of a finished run loses nothing and repeats nothing, also after a restart", async () => {
    const database = await openDatabase();
    const cases: { path: string; body: Json; frames: Frame[] }[] = [];
    const resumeEverywhere = async (origin: string, every: number): Promise<void> => {
      for (const { path, body, frames } of cases) {
        for (let place = 0; place < frames.length; place += every) {
          const rest = await run(origin, path, body, { "Last-Event-ID": frames[place]!.id! });
          expect(textsOf(rest)).toEqual(textsOf(frames.slice(place + 1)));
        }
      }
    };
    {
      await using server = await openServer(database, desk());
      const { origin } = server.client.address;
      const add = async (path: string, body: Json): Promise<Frame[]> => {
        const frames = await run(origin, path, body);
        cases.push({ path, body, frames });
        return frames;
      };
      await add("/agents/clerk/agui", inputOf("weather"));
      await add("/teams/desk/agui", inputOf("hi"));
      await add("/workflows/round/agui", inputOf("hi"));
      await add("/agents/clerk/agui", inputOf("half"));
      const paused = await add("/agents/clerk/agui", inputOf("letter"));
      const [{ id: interruptId }] = paused.at(-1)!.event.outcome.interrupts;
      const resume = [{ interruptId, status: "resolved", payload: { approved: true } }];
      const continued = await add("/agents/clerk/agui", inputOf("", { messages: [], resume }));
      expect(continued.at(-1)!.event.result).toContain("sent to Ada");
      await resumeEverywhere(origin, 1);
    }
    await using server = await openServer(database, desk());
    await resumeEverywhere(server.client.address.origin, 7);
  });

  test("of a live run at any frame continues with the next one", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const { origin } = server.client.address;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }), async (cuts) => {
        const body = inputOf("slow");
        let frames: Frame[] = [];
        for (const count of [...cuts, Number.POSITIVE_INFINITY]) {
          const id = frames.at(-1)?.id;
          const headers = id === undefined ? undefined : { "Last-Event-ID": id };
          frames = [...frames, ...(await framesOf(await post(origin, "/agents/clerk/agui", body, headers), count))];
          if (frames.at(-1)!.event.type === "RUN_FINISHED") break;
        }
        expect(textsOf(frames)).toEqual(textsOf(await run(origin, "/agents/clerk/agui", body)));
      }),
      { numRuns: 3 },
    );
  });
});

test("another process resumes a live stream with the same bytes", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openServer(database, desk());
  await using other = await openServer(database, desk());
  const body = inputOf("slow");
  const begun = await framesOf(await post(one.client.address.origin, "/agents/clerk/agui", body), 5);
  const headers = { "Last-Event-ID": begun.at(-1)!.id! };
  const rest = await run(other.client.address.origin, "/agents/clerk/agui", body, headers);
  const whole = await run(one.client.address.origin, "/agents/clerk/agui", body);
  expect(textsOf([...begun, ...rest])).toEqual(textsOf(whole));
});

test("a repeated request starts nothing and gets the same stream; another message with its ids is rejected", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  const { origin } = server.client.address;
  const body = inputOf("weather");
  const first = await run(origin, "/agents/clerk/agui", body);
  const again = await post(origin, "/agents/clerk/agui", {
    ...body,
    messages: [{ id: "0", role: "assistant", content: "Earlier" }, ...body.messages],
  });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(textsOf(await framesOf(again))).toEqual(textsOf(first));
  const other = await post(origin, "/agents/clerk/agui", { ...inputOf("hi"), runId: body.runId });
  expect(other.status).toBe(422);
  const never = await post(origin, "/agents/clerk/agui", inputOf("hi"), { "Last-Event-ID": "3.0" });
  expect(never.status).toBe(404);
  const runs = (await (await fetch(new URL("/agents/clerk/runs?session_id=thread-1", origin))).json()) as Json;
  expect(runs).toHaveLength(1);
});
