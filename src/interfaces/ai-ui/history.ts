/** The messages of a chat, from its stored runs. */
import type { RouteServices } from "../../http/transport/services.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import { nextTurn } from "../../model/next-turn.ts";
import { type Media, specifiedMediaType } from "../../model/run/message.ts";
import { inputOf, outputOf } from "../../model/run/stored-run.ts";
import type { RunRow } from "../../runs/find.ts";
import { authorize, type Chat, latest, runNameOf, userMessageId } from "./chats.ts";
import { MessageBuilder, type Part, type UiMessage } from "./messages.ts";
import { indexOf } from "./stream/message-stream.ts";
import { sourcesOf } from "./stream/sources.ts";
import { Translator } from "./stream/translator.ts";

type HistoryChat = Chat & { readonly services: Pick<RouteServices, "runs" | "runtime" | "platform"> };

/**
 * The messages of the last runs of a chat, oldest first: for each run the user's message and the answer. They are limited to the runs whose logs fit
 * into `maxListingBytes`, but the last run is always included.
 */
export async function messagesOf(chat: HistoryChat, limit: number): Promise<readonly UiMessage[]> {
  authorize(chat, "read");
  const { services, caller } = chat;
  const history: UiMessage[][] = [];
  let bytes = 0;
  for (const { runId } of await latest(chat, limit)) {
    const row = await services.runs.load(caller, runNameOf(chat, runId));
    const answer = await answerOf(chat, row);
    bytes += row.input.length + answer.bytes;
    if (bytes > services.platform.settings.maxListingBytes && history.length > 0) break;
    history.push([questionOf(row), answer.message]);
  }
  return history.reverse().flat();
}

function questionOf(row: RunRow): UiMessage {
  const { message, media = [] } = inputOf(row);
  const text: readonly Part[] = message === "" && media.length > 0 ? [] : [{ type: "text", text: message }];
  return { id: userMessageId(row), role: "user", parts: [...media.map(toFile), ...text] };
}

async function answerOf({ services }: HistoryChat, row: RunRow): Promise<{ message: UiMessage; bytes: number }> {
  const { runs, runtime } = services;
  const translator = new Translator(row);
  const builder = new MessageBuilder(row.runId);
  const head = await runs.head(row);
  let bytes = 0;
  if (head && head.firstKept === 0) {
    for await (const frames of runs.frames(row, head.nextIndex)) {
      bytes += frames.length;
      for (const frame of eachFrame(frames)) {
        const chunks = translator.translate(indexOf(frame), frameName(frame), frameData(frame), outputOf(row).media);
        for (const chunk of chunks) builder.add(chunk);
      }
      await nextTurn(runtime.clock);
    }
  }
  return bytes > 0 ? { message: builder.message, bytes } : { message: withoutLog(row), bytes: row.output?.length ?? 0 };
}

/** The answer of a run whose events are no longer kept. */
function withoutLog(row: RunRow): UiMessage {
  const { content, reasoningContent, citations, media = [] } = outputOf(row);
  const reasoning: readonly Part[] = reasoningContent
    ? [{ type: "reasoning", text: reasoningContent, state: "done" }]
    : [];
  const isText = typeof content === "string";
  const answer: readonly Part[] =
    content === undefined || content === ""
      ? []
      : [isText ? { type: "text", text: content, state: "done" } : { type: "data-output", data: content }];
  const sources = citations ? sourcesOf(citations).map((chunk) => ({ ...chunk })) : [];
  const metadata = { runId: row.runId, sessionId: row.sessionId, status: row.status };
  return {
    id: row.runId,
    role: "assistant",
    metadata,
    parts: [...reasoning, ...answer, ...sources, ...media.map(toFile)],
  };
}

function toFile({ url, data, filename, ...media }: Media): Part {
  const mediaType = specifiedMediaType(media) ?? "application/octet-stream";
  const address = url ?? `data:${mediaType};base64,${data ?? ""}`;
  return { type: "file", mediaType, url: address, ...(filename !== undefined && { filename }) };
}
