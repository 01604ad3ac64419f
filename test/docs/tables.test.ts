import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { componentOptions } from "../../src/define/component.ts";
import { errorTable } from "../../src/errors.ts";
import { startBody } from "../../src/http/input/start-form.ts";
import { newSchedule } from "../../src/http/requests/schedules.ts";
import { inputRefusedType, outputRefusedType } from "../../src/model/run/failure.ts";
import { rejectedType } from "../../src/model/run/run-marks.ts";
import { defaultPlan } from "../../src/model/schedule/schedule.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import { page, project, rows } from "./support/pages.ts";

test("the table in docs/errors.md equals the error table", () => {
  const written = rows(page("docs/errors.md"), "name").map(([name, status, code, next]) => [name, status, code, next]);
  const ours = Object.entries(errorTable).map(([name, { status, wireCode, next }]) => [
    name,
    String(status),
    wireCode ?? "none: the body is detail only",
    next,
  ]);
  expect(written).toEqual(ours);
});

test("docs/errors.md lists exactly the error_types that a run can end with", () => {
  const engine = join(project, "src/engine");
  const sources = readdirSync(engine, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const types = sources.flatMap((file) => {
    const source = readFileSync(join(engine, file), "utf8");
    const failures = [...source.matchAll(/new RunFailure\(\s*"(\w+)"/g)].map(([, type = ""]) => type);
    // Types of failed steps that end their run.
    const steps = [...source.matchAll(/new StepFailure\([^;]*?, "(\w+)"[,)]/g)].map(([, type = ""]) => type);
    return [...failures, ...steps, ...[...source.matchAll(/"(\w+_error)"/g)].map(([, type = ""]) => type)];
  });
  const written = rows(page("docs/errors.md"), "`error_type`").map(([type = ""]) => type);
  expect(written.sort()).toEqual([...new Set([...types, rejectedType, inputRefusedType, outputRefusedType])].sort());
});

test("docs/settings.md lists exactly the settings, with their defaults", () => {
  const written = Object.fromEntries(
    rows(page("docs/settings.md"), "setting").map(([name, value]) => [name, inUnits(value ?? "")]),
  );
  expect(written).toEqual(defaultSettings);
});

test("docs/schedules.md lists exactly the members of a schedule, in code and in requests", () => {
  const written = rows(page("docs/schedules.md"), "in code");
  const inCode = ["name", "endpoint", "cronExpr", ...Object.keys(defaultPlan)];
  expect(written.map(([name]) => name).toSorted()).toEqual(inCode.toSorted());
  const inRequests = Object.keys(newSchedule.reader.schema.shape);
  expect(written.map(([, name]) => name).toSorted()).toEqual(inRequests.toSorted());
});

test("docs/agents.md lists the form fields of a start and the options of agents and teams", () => {
  const { text } = page("docs/agents.md");
  const fields = rows(page("docs/agents.md"), "field").flatMap(([names = ""]) => names.split(", "));
  const without = ["version", "monitor"];
  const taken = new Set(
    (["agent", "team"] as const).flatMap((kind) => Object.keys(startBody(kind).reader.schema.shape)),
  );
  expect([...fields, ...without].sort()).toEqual([...taken].sort());
  const options = Object.keys(componentOptions).filter((name) => name !== "id" && name !== "name");
  expect([...options, "members", "mode", "tools", "output"].filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

test("every row of the settings, options and errors has a description", () => {
  const tables = [rows(page("docs/settings.md"), "setting"), rows(page("docs/settings.md"), "option")];
  for (const row of [...tables.flat(), ...rows(page("docs/errors.md"), "name")]) {
    expect(row.at(-1)?.length, row[0]).toBeGreaterThan(5);
  }
});

test("CONTRIBUTING.md lists every part of src/ and every folder of tests", () => {
  const map = rows(page("CONTRIBUTING.md"), "part")
    .map(([part]) => part)
    .join(" ");
  const parts = readdirSync(join(project, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(join(project, "src").length + 1)
        .split("/"),
    )
    .map(([first = "", ...rest]) => (rest.length === 0 ? `src/${first}` : `src/${first}/`));
  expect([...new Set(parts)].filter((part) => !map.includes(part))).toEqual([]);

  const folders = rows(page("CONTRIBUTING.md"), "folder")
    .map(([folder]) => folder)
    .join(" ");
  const tests = readdirSync(join(project, "test"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const named = tests.map(({ name }) => `test/${name}/`).filter((folder) => folder !== "test/support/");
  expect(named.filter((folder) => !folders.includes(folder))).toEqual([]);
});

const units: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 * 1024,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  characters: 1,
};

function inUnits(text: string): number {
  if (text === "no limit") return Number.POSITIVE_INFINITY;
  const [number, unit] = text.split(" ");
  return Number(number) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN));
}
