/** The cost of verifying tokens: `GET /agents` without a token, with a token seen before, and with a new token each time. */
import { type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import { printTable, spread } from "../parts/table.ts";
import { type Signer, signers, tokenOf } from "../parts/tokens.ts";

const connections = 50;
const total = 20_000;
const fresh = 4_000;

function newToken(signer: Signer): string {
  return tokenOf(signer, { sub: "bench", scopes: ["agents:read"] });
}

function requestWith(token?: string): string {
  const header = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
  return `GET /agents HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n`;
}

export const auth: QuestionOf = async (bench) => {
  const load = bench.load();
  const open = await bench.troupe("sqlite", { name: "no authorization" });
  const figures = new Map<string, Figures>();
  const ask = async (
    candidate: Candidate,
    name: string,
    requests: readonly string[],
    count: number,
  ): Promise<number> => {
    const { port } = candidate;
    const taken = await bench.during(candidate, () =>
      load.ask("requests", { port, request: requests, connections, total: count }),
    );
    const { perSecond, p50, p99 } = taken.result;
    const found = figures.get(name) ?? new Figures();
    figures.set(
      name,
      found.add({ "requests/s": perSecond, "ms p50": p50, p99, "CPU us/request": (taken.cpu * 1000) / count }),
    );
    return perSecond;
  };
  const candidates: { signer: Signer; candidate: Candidate }[] = [];
  for (const signer of signers()) {
    const environment = { JWT_VERIFICATION_KEY: signer.key, BENCH_ALGORITHM: signer.algorithm };
    candidates.push({ signer, candidate: await bench.troupe("sqlite", { name: signer.algorithm, environment }) });
  }
  for (const { port } of [open, ...candidates.map(({ candidate }) => candidate)]) {
    const warm = candidates.find(({ candidate }) => candidate.port === port);
    const request = requestWith(warm && newToken(warm.signer));
    await load.ask("requests", { port, request, connections, total: 5_000 });
  }
  for (let pass = 0; pass < bench.options.passes; pass++) {
    const bare = await ask(open, "no authorization", [requestWith()], total);
    for (const { signer, candidate } of candidates) {
      const known = await ask(candidate, `${signer.algorithm}, one token`, [requestWith(newToken(signer))], total);
      const tokens = Array.from({ length: fresh }, () => requestWith(newToken(signer)));
      const unknown = await ask(candidate, `${signer.algorithm}, a new token each time`, tokens, fresh);
      figures.get(`${signer.algorithm}, one token`)?.add({ "of none": known / bare });
      figures.get(`${signer.algorithm}, a new token each time`)?.add({ "of none": unknown / bare });
    }
  }
  printTable(
    `GET /agents with tokens, ${connections} at a time`,
    [...figures].map(([name, found]) => ({ token: name, ...found.cells(spread) })),
  );
};
