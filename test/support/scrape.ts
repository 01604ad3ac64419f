/** Reads the metrics of a server. */
import type { Server } from "../../src/platform/server.ts";

/** The values of a scrape by series: `troupe_live_runs{kind="agent",component="a"}`. */
export type Series = ReadonlyMap<string, number>;

/** Scrapes a server that listens. */
export async function scrape({ metricsUrl = "" }: Pick<Server, "metricsUrl">): Promise<Series> {
  return seriesOf(await (await fetch(metricsUrl)).text());
}

/** Parses Prometheus' text format. */
export function seriesOf(text: string): Series {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
