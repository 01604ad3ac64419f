import { defineConfig } from "vitest/config";

const conditions = ["troupe-source"];
const long = [
  "test/crash/*.test.ts",
  "test/chaos/*.test.ts",
  "test/cli/*.test.ts",
  "test/package/*.test.ts",
  "test/workflow/kill.test.ts",
  "test/a2a/python.test.ts",
  "test/conformance/python-client.test.ts",
  "test/pages/*.test.ts",
  "test/client/types.test.ts",
  "test/docs/{readme,authorization,client,site}.test.ts",
  "test/http/hostile-cost.test.ts",
  "test/conformance/{schedules,schedule-fires}.test.ts",
  "test/contract/{store-faults,store-races}.test.ts",
];
const isLong = process.env.npm_lifecycle_event === "test:long";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // What starts real processes and browsers, or waits for leases, ticks and lost connections, takes minutes: `npm run test:long`.
    ...(isLong ? { include: long } : { include: ["test/**/*.test.ts"], exclude: long }),
    globalSetup: "test/support/global-setup.ts",
    pool: "forks",
    // Many tests wait for clocks and processes: one more than the usual two cores. What files share are modules, whose loading costs more than most tests.
    maxWorkers: 3,
    isolate: isLong,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // A busy machine or disk may need more than the default second.
    expect: { poll: { timeout: 20_000 } },
    // .ci/run counts from this file.
    reporters: process.env.TEST_RESULTS ? ["default", ["json", { outputFile: process.env.TEST_RESULTS }]] : ["default"],
  },
});
