import { defineConfig } from "vitest/config";

const conditions = ["troupe-source"];
/**
 * Test files that start real processes, browsers or compilers, or wait for leases, ticks and lost connections. The others, the fast set, take at most
 * four minutes on two idle cores.
 */
const long = [
  "test/crash/*.test.ts",
  "test/evals/*.test.ts",
  "test/chaos/*.test.ts",
  "test/cli/*.test.ts",
  "test/deploy/*.test.ts",
  "test/package/*.test.ts",
  "test/{ai-ui,channels,connections,mcp,mcp-tools,memory,webhooks}/*.test.ts",
  "test/openai/{cut-streams,stock-client}.test.ts",
  "test/workflow/kill.test.ts",
  "test/a2a/{push-delivery,python,remote,remote-questions,standard-rpc}.test.ts",
  "test/conformance/python-client.test.ts",
  "test/pages/*.test.ts",
  "test/react/browser.test.ts",
  "test/console/*.test.ts",
  "test/client/{event-types,following}.test.ts",
  "test/examples/clients.test.ts",
  "test/docs/{readme,authorization,client,site,code,testing,a2a,webhooks,knowledge}.test.ts",
  "test/http/hostile-cost.test.ts",
  "test/knowledge/{files,urls,sources}.test.ts",
  "test/conformance/{hostile-values,schedules,schedule-fires,slow-bodies,trace-statistics}.test.ts",
  "test/contract/{failover,retention-store,standby-reads,store-faults,store-races,store-sqlite,user-data}.test.ts",
  "test/platform/{mount,mount-server,standby,surfaces,tracing-export}.test.ts",
  "test/knowledge/{lancedb,pgvector}.test.ts",
  "test/engine/long-session.test.ts",
  "test/simulation/{each-step,planted}.test.ts",
  "test/define/in-process-run.test.ts",
  "test/encryption/{damage,keys,reencryption}.test.ts",
  "test/engine/team-tasks.test.ts",
  "test/knowledge/agents.test.ts",
  "test/trials/{experiments,versions}.test.ts",
  "test/tooling/{api-types,imports,launcher,lint-rules}.test.ts",
  "test/tooling/postgres-{server,standby}.test.ts",
  "test/upgrade/upgrade.test.ts",
];
/** Test files that do a share of their repetitions in the fast set, and all of them in the long one: test/support/repetitions.ts. */
const both = [
  "test/simulation/histories-*.test.ts",
  "test/contract/store-model.test.ts",
  "test/conformance/{cursors,media,a2a-hostile}.test.ts",
  "test/openai/cut-streams.test.ts",
];
const isLong = process.env.npm_lifecycle_event === "test:long";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    ...(isLong ? { include: [...long, ...both] } : { include: ["test/**/*.test.ts"], exclude: long }),
    env: { TEST_SET: isLong ? "long" : "fast" },
    globalSetup: "test/support/global-setup.ts",
    pool: "forks",
    // Many tests wait for clocks and processes: one more than the usual two cores. What files share are modules, whose loading costs more than most tests.
    maxWorkers: 3,
    isolate: isLong,
    // A test takes seconds. These limits are for one that hangs, on a machine that has other work to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Failures in full and a summary; what a test prints is shown only when it fails.
    silent: "passed-only",
    // .ci/run counts from this file.
    reporters: process.env.TEST_RESULTS ? ["minimal", ["json", { outputFile: process.env.TEST_RESULTS }]] : ["minimal"],
  },
});
