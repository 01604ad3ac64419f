/** What the answer to a start has beside the run's record. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Json = any;

const lists = ["tools", "images", "videos", "audio", "files"];

/** The answer to a start without a stream as the run's record is read later: with its events, and without lists that are empty. */
export function asRead(answer: Json): Json {
  const kept = Object.entries<Json>(answer).filter(([name, value]) => !(lists.includes(name) && value.length === 0));
  const { member_responses, step_executor_runs, ...own } = Object.fromEntries(kept);
  return {
    ...own,
    ...(member_responses && { member_responses: member_responses.map(asRead) }),
    ...(step_executor_runs && { step_executor_runs: step_executor_runs.map(asRead) }),
    events: [],
  };
}
