/** The dashboard, the alerts and the table of metrics name existing series. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { defineAgent, definePlatform } from "../../src/index.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { seriesOf } from "../support/scrape.ts";
import { page, project, rows } from "./support/pages.ts";

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets?: readonly Target[] }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Alerts {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The labels that Prometheus adds to each series. */
const added = ["job", "instance"];

const text = await scrapeEverything();
const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
const labels = new Map<string, Set<string>>();
for (const series of seriesOf(text).keys()) {
  const [name = "", rest = ""] = series.split("{");
  const known = labels.get(name) ?? new Set(added);
  for (const [, label = ""] of rest.matchAll(/(\w+)="/g)) known.add(label);
  labels.set(name, known);
}

/** Records one fact of each kind, so that every series has its labels. */
async function scrapeEverything(): Promise<string> {
  const model = { id: "scripted-model", provider: "Scripted" };
  const run = { kind: "agent", componentId: "a" } as const;
  const agent = defineAgent({ id: "a", model: scriptedModel(["hi"]) });
  const metrics = createMetrics(definePlatform({ id: "p", agents: [agent] }));
  metrics.read({
    followers: () => 1,
    ringBytes: () => 1,
    isDatabaseAvailable: () => true,
    connections: () => ({ open: 2, idle: 1, waiting: 0 }),
    queue: async () => ({ length: 1, oldestWait: 1 }),
  });
  const { measurements } = metrics;
  measurements.requestFinished({ method: "GET", route: "/", status: 200, seconds: 1 });
  measurements.runStarted(run);
  measurements.runOpened(run);
  measurements.runClosed(run, "COMPLETED");
  measurements.takeover(run);
  measurements.modelRequest({ model, outcome: "ok", seconds: 1, firstToken: 1 });
  measurements.modelRetry(model);
  measurements.modelTurn(model, { input_tokens: 1, output_tokens: 1, cost: 0.5 });
  measurements.toolCall({ tool: "t", outcome: "ok", seconds: 1 });
  measurements.flush({ bytes: 1, seconds: 1, latency: 1 });
  measurements.push("delivered");
  measurements.scheduleFire(1);
  return await metrics.scrape();
}

/** What an expression names but no series has. */
function unknownIn(expr: string): string[] {
  const names = [...expr.matchAll(/\b(?:troupe|process|nodejs)_\w+/g)].map(([name]) => name);
  const known = new Set(names.flatMap((name) => [...(labels.get(name) ?? [])]));
  const used = [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
    ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = ""]) => label),
  ];
  const unknown = [...names.filter((name) => !labels.has(name)), ...used.filter((label) => !known.has(label))];
  return names.length === 0 ? [`no series in: ${expr}`] : unknown;
}

const dashboard: Dashboard = JSON.parse(readFileSync(join(project, "deploy/grafana/troupe.json"), "utf8"));
const alerts = (parse(readFileSync(join(project, "deploy/prometheus/alerts.yaml"), "utf8")) as Alerts).groups.flatMap(
  ({ rules }) => rules,
);
const targets = dashboard.panels.flatMap(({ targets: own = [] }) => own);

test("every expression of the dashboard names existing series and labels", () => {
  expect(targets.length).toBeGreaterThan(25);
  expect(targets.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
  for (const { query } of dashboard.templating.list) {
    const given = typeof query === "string" ? undefined : /label_values\((\w+), (\w+)\)/.exec(query.query);
    if (given) expect(labels.get(given[1] ?? "")).toContain(given[2]);
  }
});

test("every legend of the dashboard uses labels of its expression", () => {
  for (const { expr, legendFormat } of targets) {
    for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
      expect(expr.includes("sum") ? grouped : added, expr).toContain(label);
    }
  }
});

test("the ids of the dashboard's panels are unique", () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every alert names existing series and labels, and has a summary", () => {
  expect(alerts.length).toBeGreaterThan(8);
  expect(alerts.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
  for (const { alert, annotations } of alerts) expect(annotations.summary, alert).toMatch(/\.$/);
});

test("the dashboard shows every metric of Troupe", () => {
  const shown = targets.map(({ expr }) => expr).join(" ");
  expect([...types.keys()].filter((name) => name.startsWith("troupe_") && !shown.includes(name))).toEqual([]);
});

test("docs/observability.md lists every metric of Troupe with its type and labels", () => {
  const written = rows(page("docs/observability.md"), "metric").map(([name = "", type = "", own = ""]) => [
    name.replaceAll("`", ""),
    type,
    [...own.matchAll(/\w+/g)].map(([label]) => label).sort(),
  ]);
  const ours = [...types].flatMap(([name, type]) => {
    const all = labels.get(type === "histogram" ? `${name}_count` : name) ?? [];
    return name.startsWith("troupe_") ? [[name, type, [...all].filter((label) => !added.includes(label)).sort()]] : [];
  });
  expect(written.sort()).toEqual(ours.sort());
});
