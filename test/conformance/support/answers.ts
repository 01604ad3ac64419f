/** Members of a start's response that the run's record does not have. */

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Json = any;

const lists = ["tools", "images", "videos", "audio", "files"];

/** A start's response converted to the record that a later read returns: with events, and without empty lists. */
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
