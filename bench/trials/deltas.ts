/**
 * CPU of the loop that reads a model's stream, per delta: no log, no store and no network. The folder of another checkout measures that one: compare processes in turn.
 * Usage: node --conditions=troupe-source bench/trials/deltas.ts [folder of a checkout]
 */
import { pathToFileURL } from "node:url";
import type { RunScope } from "../../src/engine/loops/contract.ts";
import { flooding } from "../parts/models.ts";
import { pieces } from "../parts/words.ts";

type Source = typeof import("../../src/engine/model-call/call-model.ts") &
  typeof import("../../src/engine/run/event-form.ts");

const folder = process.argv[2] ?? `${import.meta.dirname}/../..`;
const load = (path: string): Promise<Partial<Source>> => import(pathToFileURL(`${folder}/src/engine/${path}`).href);
const { callModel } = (await load("model-call/call-model.ts")) as Source;
const { EventForm } = (await load("run/event-form.ts")) as Source;

const deltas = 200;
const turns = 60;
const windows = 60;
const model = flooding(pieces(deltas));
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const component = { kind: "agent", id: "a", name: "A" } as const;
const signal = new AbortController().signal;
const nothing = (): void => {};

/** The part of a scope that the loop uses. */
class Scope {
  readonly component = component;
  readonly settings = { maxModelAttempts: 1 };
  readonly signal = signal;
  readonly runtime = { clock, measurements: { modelRequest: nothing } };
  readonly #form = new EventForm(clock as ConstructorParameters<Source["EventForm"]>[0], {
    ...{ component, parentRunId: undefined, sessionId: "s" },
    runId: "11111111-1111-4111-8111-111111111111",
  });
  #text = "";
  #characters = 0;

  emit(name: string, fields?: Readonly<Record<string, unknown>>): void {
    if (name === "RunContent" && typeof fields?.content === "string") this.#text += fields.content;
    this.#form.make(name, fields);
  }

  count(characters: number): void {
    this.#characters += characters;
  }

  room(): undefined {}
}

async function turn(): Promise<void> {
  const callable = { id: "m", provider: "p", stream: model.doStream };
  await callModel({
    scope: new Scope() as unknown as RunScope,
    model: callable as unknown as Parameters<Source["callModel"]>[0]["model"],
    options: { prompt: [] } as unknown as Parameters<Source["callModel"]>[0]["options"],
    show: "answer",
    continues: false,
    begin: nothing,
    interrupt: undefined,
    // Of checkouts before `show`.
    ...{ showText: true },
  });
}

for (let n = 0; n < 1_500; n++) await turn();
const all: number[] = [];
for (let window = 0; window < windows; window++) {
  const before = process.cpuUsage();
  for (let n = 0; n < turns; n++) await turn();
  const { user, system } = process.cpuUsage(before);
  all.push((user + system) / turns / deltas);
}
all.sort((a, b) => a - b);
const at = (share: number): string => (all[Math.floor(share * windows)] ?? Number.NaN).toFixed(3);
console.log(`us of CPU per delta: min ${at(0)}, lower quartile ${at(0.25)}, median ${at(0.5)}`);
