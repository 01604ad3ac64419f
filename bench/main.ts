/**
 * Runs the bench's questions and prints tables.
 * Usage: node --conditions=troupe-source bench/main.ts [question ...] [--passes 3] [--engines sqlite,postgres] [--runs 1000000] [--cpu-prof folder]
 */
import { parseArgs } from "node:util";
import { Bench, type QuestionOf } from "./parts/bench.ts";
import { type EngineName, engines, stopDatabases } from "./parts/databases.ts";
import { a2a } from "./questions/a2a.ts";
import { auth } from "./questions/auth.ts";
import { burst } from "./questions/burst.ts";
import { compare } from "./questions/compare.ts";
import { disk } from "./questions/disk.ts";
import { encryption } from "./questions/encryption.ts";
import { followers } from "./questions/followers.ts";
import { idleConnections } from "./questions/idle-connections.ts";
import { knowledge } from "./questions/knowledge.ts";
import { listing } from "./questions/listing.ts";
import { longSession } from "./questions/long-session.ts";
import { memories } from "./questions/memories.ts";
import { memory } from "./questions/memory.ts";
import { nonStream } from "./questions/non-stream.ts";
import { paced, pacedFew, pacedSlow } from "./questions/paced.ts";
import { replicas } from "./questions/replicas.ts";
import { replicasBetween } from "./questions/replicas-between.ts";
import { resume } from "./questions/resume.ts";
import { runAnatomy } from "./questions/run-anatomy.ts";
import { scale } from "./questions/scale.ts";
import { schedules } from "./questions/schedules.ts";
import { sessionGrowth } from "./questions/session-growth.ts";
import { startUp } from "./questions/start-up.ts";
import { steadyMemory } from "./questions/steady-memory.ts";
import { summary } from "./questions/summary.ts";
import { surfaceStreams } from "./questions/surfaces.ts";

const questions: Readonly<Record<string, QuestionOf>> = {
  summary,
  auth,
  burst,
  a2a,
  surfaces: surfaceStreams,
  paced,
  "paced-few": pacedFew,
  "paced-slow": pacedSlow,
  disk,
  compare,
  encryption,
  followers,
  resume,
  "non-stream": nonStream,
  "run-anatomy": runAnatomy,
  "idle-connections": idleConnections,
  memories,
  memory,
  "steady-memory": steadyMemory,
  "start-up": startUp,
  "session-growth": sessionGrowth,
  "long-session": longSession,
  knowledge,
  listing,
  scale,
  schedules,
  replicas,
  "replicas-between": replicasBetween,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    passes: { type: "string" },
    engines: { type: "string" },
    runs: { type: "string" },
    "cpu-prof": { type: "string" },
  },
});
const chosen = positionals.length > 0 ? positionals : Object.keys(questions);
const unknown = chosen.find((name) => !(name in questions));
if (unknown !== undefined) {
  console.error(`No such question: ${unknown}. There are ${Object.keys(questions).join(", ")}.`);
  process.exit(2);
}
const options = {
  passes: Number(values.passes ?? 3),
  engines: values.engines ? (values.engines.split(",") as EngineName[]) : engines,
  runs: Number(values.runs ?? 1_000_000),
  profiles: values["cpu-prof"],
};

try {
  for (const name of chosen) {
    await using bench = new Bench(options);
    await questions[name]?.(bench);
  }
} finally {
  await stopDatabases();
}
