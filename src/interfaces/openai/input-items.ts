/** The input of a run as items: the conversation that its request brought, its message, and the answers to its questions. */

import type { Media, Message } from "../../model/run/message.ts";
import { callsIn } from "../../model/run/pause.ts";
import { copiedMessagesOf, type ToolRequirement } from "../../model/run/record.ts";
import { inputOf, optionsOf, outputOf } from "../../model/run/stored-run.ts";
import type { RunRow } from "../../runs/find.ts";
import type { ItemsQuery } from "./input/response.ts";
import { questionName } from "./names.ts";
import { type FoundResponse, load, type Requested } from "./run-service.ts";

interface InputItem {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A page of the input items. @throws TroupeError `notFound` */
export async function inputItems(
  requested: Pick<Requested, "services" | "caller">,
  found: FoundResponse,
  { limit, isAscending, after }: ItemsQuery,
): Promise<Record<string, unknown>> {
  const { row } = await load(requested, found);
  const all = await itemsOf(requested, row);
  const ordered = isAscending ? all : all.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < ordered.length,
  };
}

async function itemsOf(
  { services, caller }: Pick<Requested, "services" | "caller">,
  row: RunRow,
): Promise<InputItem[]> {
  const given = copiedMessagesOf(optionsOf(row));
  const { runId, kind, componentId } = row;
  const rows = given === 0 ? [] : await messagesOf(services, caller, { runId, kind, componentId });
  const { message, media = [] } = inputOf(row);
  const earlier = rows.slice(0, given);
  return [
    ...earlier.map((one, place) => messageItem(`msg_${runId}.input.${place}`, one)),
    messageItem(`msg_${runId}.input.${earlier.length}`, { role: "user", content: message, media }),
    ...callsIn(outputOf(row).answered ?? {}).map((call) => answerItem(runId, call)),
  ];
}

async function messagesOf(
  { runs }: Requested["services"],
  caller: Requested["caller"],
  name: Parameters<Requested["services"]["runs"]["messages"]>[1],
): Promise<readonly Message[]> {
  const { run, messages } = await runs.messages(caller, name);
  return (messages.get(run.key) ?? []).map(({ body }) => JSON.parse(body) as Message);
}

function messageItem(id: string, message: Message): InputItem {
  const isAssistant = message.role === "assistant";
  const text = { type: isAssistant ? "output_text" : "input_text", text: message.content };
  const media = message.role === "user" ? (message.media ?? []) : [];
  const content = isAssistant ? [{ ...text, annotations: [] }] : [text, ...media.map(mediaPart)];
  return { id, type: "message", role: message.role, status: "completed", content };
}

function mediaPart({ kind, url, data, mediaType, filename, details }: Media): Record<string, unknown> {
  const address = url ?? (data === undefined ? null : `data:${mediaType};base64,${data}`);
  if (kind === "image")
    return { type: "input_image", image_url: address, detail: details?.detail ?? "auto", file_id: null };
  return { type: "input_file", ...(url === undefined ? { file_data: address } : { file_url: url }), filename };
}

function answerItem(runId: string, { id: questionId, tool_execution: call, ...given }: ToolRequirement): InputItem {
  const question = { runId, questionId };
  if (
    call.requires_confirmation !== null &&
    call.external_execution_required === null &&
    call.requires_user_input === null
  ) {
    return {
      id: `${questionName("mcpr", question)}.answer`,
      type: "mcp_approval_response",
      approval_request_id: questionName("mcpr", question),
      approve: call.confirmed ?? given.confirmation ?? false,
      reason: call.confirmation_note ?? given.confirmation_note ?? null,
    };
  }
  const output = given.external_execution_result ?? call.result ?? JSON.stringify(call.user_input_schema ?? []);
  return {
    id: `${questionName("fc", question)}.answer`,
    type: "function_call_output",
    status: "completed",
    call_id: questionName("call", question),
    output,
  };
}
