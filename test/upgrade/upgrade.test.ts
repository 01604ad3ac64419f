/** A database that the previous release wrote opens in this one, and loses nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/define/platform.ts";
import { traceIdOf } from "../../src/model/trace/ids.ts";
import { createServer } from "../../src/platform/server.ts";
import { migrations } from "../../src/store/migrations/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { querySql } from "../support/execute-sql.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { fillFromPrevious, previousFolder } from "../support/previous-release.ts";
import { hosted } from "./app.ts";
import { asOperator, digest, type FixtureRecords, type RecordedRun, sendJson } from "./fixture.ts";

const records: FixtureRecords = JSON.parse(readFileSync(join(previousFolder, "records.json"), "utf8"));

/** The fixture grows old, and its events must not be removed for their age. */
const retention = { events: false } as const;
const settings = {
  ...{ compactionInterval: 20, scheduleSweepInterval: 100, sweepInterval: 100 },
  ...{ leaseDuration: 1_000, leaseRenewInterval: 200 },
};

const of = ({ component, runId }: RecordedRun): [string, string] => [component, runId];
const isLive = ({ status }: RecordedRun): boolean => status === "RUNNING" || status === "PENDING";

eachDatabase(
  "a database of the previous release",
  (openDatabase, kind) => {
    const recorded = records[kind];
    const named = (name: string): RecordedRun => recorded.runs.find((run) => run.name === name) as RecordedRun;

    /** The frames of a run's log, up to those that the previous release's client had received. */
    const logOf = async ({ client }: OpenServer, run: RecordedRun) => {
      const stream = await client.resume(...of(run));
      if (isLive(run)) await stream.closed;
      else await stream.until(run.events);
      const frames = [...stream.events];
      stream.cut();
      return frames;
    };

    test("has every migration, row and log after the upgrade, and its runs continue", async () => {
      const database = await openDatabase();
      await fillFromPrevious(database);
      const [before] = await querySql<{ last: number }>(database, "select max(number) as last from migrations");
      expect(Number(before?.last)).toBeLessThan(migrations.at(-1)?.number ?? 0);
      {
        await using server = await openServer(database, { ...hosted, settings, retention });
        const { client } = server;
        const [after] = await querySql<{ last: number }>(database, "select max(number) as last from migrations");
        expect(Number(after?.last)).toBe(migrations.at(-1)?.number);

        for (const run of recorded.runs.filter((one) => !isLive(one))) {
          const { name, events, sha256 } = run;
          expect({ name, ...digest(await logOf(server, run)) }).toEqual({ name, events, sha256 });
        }
        // The live run is taken over: its log goes on after the events that a client had received.
        const live = await logOf(server, named("live"));
        expect(digest(live.slice(0, named("live").events)).sha256).toBe(named("live").sha256);
        expect(live.map(({ id }) => id)).toEqual(live.map((_, place) => place));
        expect(live.map(({ event }) => event)).toContain("RunRecovered");
        expect([live.at(-1)?.event, live.at(-1)?.data.content]).toEqual([
          "RunCompleted",
          Array.from({ length: 60 }, (_, n) => `word${n} `).join(""),
        ]);
        expect((await logOf(server, named("waiting"))).at(-1)?.event).toBe("RunCompleted");

        for (const run of recorded.runs) {
          const record = await client.record(...([run.component, run] as const));
          expect([run.name, record.status]).toEqual([run.name, isLive(run) ? "COMPLETED" : run.status]);
        }
        const second = await client.record("agents/talker", named("with history"));
        expect(second.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);

        // Paused runs continue with the answers of people.
        for (const name of ["paused", "paused member", "with a deadline"]) {
          const run = named(name);
          const paused = await client.record(run.component, run);
          const fields = { session_id: run.sessionId, stream: false };
          const { step_requirements: steps, requirements } = paused;
          const first = steps?.[0] ?? requirements[0];
          const tool = { ...first.tool_execution, confirmed: true };
          const answers = steps?.[0]
            ? { step_requirements: JSON.stringify([{ ...first, confirmed: true }]) }
            : run.component.startsWith("teams")
              ? { requirements: JSON.stringify([{ ...first, tool_execution: tool, confirmation: true }]) }
              : { tools: JSON.stringify([tool]) };
          const { body } = await client.post(`/${run.component}/runs/${run.runId}/continue`, { ...fields, ...answers });
          expect([name, body.status]).toEqual([name, "COMPLETED"]);
          const log = await client.log(...of(run));
          expect(digest(log.slice(0, run.events)).sha256).toBe(run.sha256);
          expect(log.map(({ id }) => id)).toEqual(log.map((_, place) => place));
        }
        const money = named("waiting for an approval");
        const { body: approvals } = await client.get("/approvals?status=pending");
        const approval = approvals.data.find(({ run_id }: { run_id: string }) => run_id === money.runId);
        await sendJson(client, "POST", `/approvals/${approval.id}/resolve`, { status: "approved" }, {});
        const approved = { session_id: money.sessionId, stream: false };
        const { body: paid } = await client.post(`/agents/talker/runs/${money.runId}/continue`, approved);
        expect(paid).toMatchObject({ status: "COMPLETED", content: expect.stringContaining("wired 5") });

        expect((await client.get(`/sessions/${recorded.deletedSession}?type=agent`)).status).toBe(404);
        const listed = await client.get("/agents/talker/runs?session_id=session-regenerated");
        const replaced = listed.body.filter(({ status }: { status: string }) => status === "REGENERATED");
        expect(replaced.map(({ run_id }: { run_id: string }) => run_id)).toEqual([recorded.regenerated]);

        // The schedule fires the tick that it missed last.
        const fires = await eventually(async () => {
          const { body } = await client.get(`/schedules/${recorded.scheduleId}/runs`);
          expect(body.data.length).toBeGreaterThan(recorded.fires);
          expect(body.data[0].status).toBe("success");
          return body.data;
        });
        expect(fires.at(-1).status).toBe("success");

        // Traces and usage of runs that ended before the upgrade are derived from their logs.
        await eventually(async () => expect(await server.store.uncompacted(1)).toEqual([]));
        for (const [name, spans] of [
          ["with a tool", 4],
          ["of a team", 6],
          ["failed", 2],
          ["uncompacted", 2],
        ] as const) {
          const { body } = await client.get(`/traces/${traceIdOf(named(name).runId)}`);
          expect([name, body.run_id]).toEqual([name, named(name).runId]);
          expect(body.total_spans).toBeGreaterThanOrEqual(spans);
        }
        // Logs that this release compacted have a stored trace, which is listed.
        const { body: traces } = await client.get("/traces?session_id=session-uncompacted");
        expect(traces.data.map(({ run_id }: { run_id: string }) => run_id)).toEqual([named("uncompacted").runId]);
        await sendJson(client, "POST", "/metrics/refresh", undefined, {});
        const { body: usage } = await client.get("/metrics");
        const counted = (kind: string): number =>
          usage.metrics.reduce(
            (sum: number, day: Record<string, number>) => sum + Number(day[`${kind}_runs_count`]),
            0,
          );
        const [runs] = await querySql<{ agents: number; teams: number }>(
          database,
          `select sum(case kind when 'agent' then 1 else 0 end) as agents, sum(case kind when 'team' then 1 else 0 end) as teams from runs
            where session_seq is not null`,
        );
        expect([counted("agent"), counted("team")]).toEqual([Number(runs?.agents), Number(runs?.teams)]);
      }
      // The token of the service account is valid.
      const options =
        kind === "sqlite"
          ? { dataDir: (database as { dataDir: string }).dataDir }
          : { database: (database as { url: string }).url };
      const platform = definePlatform({ id: "upgrade", ...hosted, retention });
      const environment = { OS_SECURITY_KEY: records.securityKey };
      const secured = await createServer(platform, { ...options, port: 0, logLevel: "silent", environment });
      onTestFinished(() => secured.close({ shutdownTimeout: 0 }));
      const address = await secured.listen();
      const get = async (headers: Record<string, string>) => (await fetch(`${address}/sessions`, { headers })).status;
      expect(await Promise.all([get(asOperator(recorded.accountToken)), get({})])).toEqual([200, 401]);
    });

    test("has rows in every table that the previous release had", () => {
      const empty = Object.entries(recorded.rows).filter(([, rows]) => rows === 0);
      expect(empty).toEqual([]);
      expect(Object.keys(recorded.rows).length).toBeGreaterThan(14);
    });
  },
  "empty",
);
