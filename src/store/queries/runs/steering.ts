/** Puts messages into live runs. A message is a mark, and the run's head counts the messages: the flush that completes a run checks the count. */
import { isTerminal } from "../../../model/run/run.ts";
import { afterPrefix } from "../../../model/run/run-marks.ts";
import {
  maxSteeringMessages,
  type NumberedMessage,
  type SteeringMessage,
  steeringName,
  steeringNumber,
  steeringPrefix,
} from "../../../model/run/steering.ts";
import type { SteeringOutcome, SteeringStore } from "../../contract/steering.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";

/** Makes these methods for a database. */
export function steeringQueries(database: Database): SteeringStore {
  const { db, locked } = database.dialect;

  function messages(key: number, after: number) {
    return db
      .selectFrom("marks")
      .select(["name", "body"])
      .where("run_key", "=", key)
      .where("name", ">", steeringName(after))
      .where("name", "<", afterPrefix(steeringPrefix))
      .orderBy("name");
  }

  function* steer(key: number, message: SteeringMessage, at: number): Transaction<SteeringOutcome> {
    const heads = db.selectFrom("run_heads").select(["status", "cancel_requested", "steered"]);
    const root = heads.where("run_key", "=", key).where("session_seq", "is not", null);
    const head = yield* first(root.modifyEnd(locked));
    if (head === undefined) return { kind: "gone" };
    const { status, steered } = head;
    if (message.key !== undefined) {
      const known = (yield* all(messages(key, 0))).map(toMessage).find((earlier) => earlier.key === message.key);
      if (known) return { kind: "accepted", message: known, status, isRepeated: true };
    }
    if (isTerminal(status) || head.cancel_requested !== 0) return { kind: "over", status };
    if (steered >= maxSteeringMessages) return { kind: "full" };
    const number = steered + 1;
    const name = steeringName(number);
    const body = sealText(database.encryption, "marks.body", [key, name], JSON.stringify(message));
    yield* run(db.insertInto("marks").values({ run_key: key, name, created_at: at, body }));
    yield* run(db.updateTable("run_heads").set({ steered: number }).where("run_key", "=", key));
    return { kind: "accepted", message: { ...message, number }, status, isRepeated: false };
  }

  return {
    steer: (key, message, at) => database.write(() => steer(key, message, at)),
    steeringMessages: async (key, after) => (await database.read(messages(key, after).compile())).map(toMessage),
  };
}

function toMessage({ name, body }: { readonly name: string; readonly body: string }): NumberedMessage {
  return { ...(JSON.parse(body) as SteeringMessage), number: steeringNumber(name) ?? 0 };
}
