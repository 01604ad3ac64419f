/** The simulation detects bugs: it finds every planted bug within a thousand seeds. */
import { expect, test } from "vitest";
import { runHistory } from "./history.ts";
import { plantedBugs } from "./planted.ts";

const mostSeeds = 1_000;

test.each(plantedBugs)(
  "the simulation finds a planted bug ($guarantee): $bug",
  async ({ checks, variant, bug }) => {
    for (let seed = 1; seed <= mostSeeds; seed++) {
      const { violation } = await runHistory(seed, variant);
      // A bug may break another guarantee first.
      if (!violation || !checks.includes(violation.check)) continue;
      console.log(`"${bug}" is found by seed ${seed}: ${violation.check}`);
      return;
    }
    expect.unreachable(`"${bug}" is not found by ${mostSeeds} seeds`);
  },
  240_000,
);
