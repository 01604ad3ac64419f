/** Reads a session's earlier runs, and stores parts of results for its later runs. */
import type { Component, Hosted } from "../../define/platform.ts";
import type { Message } from "../../model/run/message.ts";
import type { RunOptions } from "../../model/run/record.ts";
import type { HistoryRow } from "../../store/contract/store.ts";
import type { HistoryRun, SessionPast } from "../loops/contract.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";
import type { RootRun } from "./root-run.ts";

/** The past of a root run's session, for the root run or a run under it. */
export function sessionPast(
  root: RootRun,
  { kind, id }: Pick<Hosted | Component, "kind" | "id">,
  { origin }: RunOptions,
): SessionPast {
  const { parts, session, signal } = root;
  const { store } = parts;
  const { key, seq } = session;
  const beforeSeq = origin?.beforeSeq ?? seq;
  const read = <Value>(work: () => Promise<Value>): Promise<Value> => retryWhileUnavailable(parts, signal, work);
  return {
    seq,
    beforeSeq,
    async history({ runs, afterSeq, end }) {
      if (runs === 0) return [];
      const place = { key, beforeSeq, ...(afterSeq !== undefined && { afterSeq }) };
      return byRun(await read(() => store.history(place, { kind, id }, runs, end)));
    },
    summary: () => read(() => store.sessionSummary(key)),
    putSummary: (summary) => root.addSummary(summary),
    putResult: (name, text) => root.addResult(name, text),
    async result(position, name) {
      const body = await read(() => store.sessionMark(key, position, name));
      return body === undefined ? undefined : (JSON.parse(body) as string);
    },
  };
}

function byRun(rows: readonly HistoryRow[]): readonly HistoryRun[] {
  const runs: { readonly seq: number; readonly messages: Message[] }[] = [];
  for (const { sessionSeq, body } of rows) {
    if (runs.at(-1)?.seq !== sessionSeq) runs.push({ seq: sessionSeq, messages: [] });
    runs.at(-1)?.messages.push(JSON.parse(body) as Message);
  }
  return runs;
}
