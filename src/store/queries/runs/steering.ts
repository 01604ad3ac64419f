/** Puts messages into live runs. A message is a mark, and the run's head counts the messages: the flush that completes a run checks the count. */
import { sql } from "kysely";
import { isTerminal } from "../../../model/run/run.ts";
import { afterPrefix } from "../../../model/run/run-marks.ts";
import {
  maxSteeringBytes,
  maxSteeringMessages,
  type NumberedMessage,
  type SteeringMessage,
  steeringKey,
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

  function marks(key: number, after: number) {
    return db
      .selectFrom("marks")
      .where("run_key", "=", key)
      .where("name", ">=", steeringName(after + 1))
      .where("name", "<", afterPrefix(steeringPrefix))
      .orderBy("name");
  }

  function messages(key: number, after: number) {
    return marks(key, after).select(["name", "body"]);
  }

  function* steer(key: number, message: SteeringMessage, at: number): Transaction<SteeringOutcome> {
    const heads = db.selectFrom("run_heads").select(["status", "cancel_requested", "steered"]);
    const root = heads.where("run_key", "=", key).where("session_seq", "is not", null);
    const head = yield* first(root.modifyEnd(locked));
    if (head === undefined) return { kind: "gone" };
    const { status, steered } = head;
    const size = sql<number>`octet_length(body)`.as("size");
    const accepted = steered > 0 ? yield* all(marks(key, 0).select(["name", size])) : [];
    const known = message.key && accepted.find(({ name }) => steeringKey(name) === message.key);
    if (known) {
      const [row] = yield* all(messages(key, 0).where("name", "=", known.name));
      if (row) return { kind: "accepted", message: toMessage(row), status, isRepeated: true };
    }
    if (isTerminal(status) || head.cancel_requested !== 0) return { kind: "over", status };
    const bytes = accepted.reduce((sum, one) => sum + Number(one.size), 0);
    if (steered >= maxSteeringMessages || bytes >= maxSteeringBytes) return { kind: "full" };
    const number = steered + 1;
    const name = steeringName(number, message.key);
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
