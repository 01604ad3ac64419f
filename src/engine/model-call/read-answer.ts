/** Reads an answer that no client sees while it arrives. */
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { abortable } from "../../model/abortable.ts";
import { RunFailure } from "../loops/contract.ts";
import type { CallableModel, CallOptions } from "./model-adapter.ts";
import { AnswerCutOff } from "./model-errors.ts";
import { countedUsage } from "./usage.ts";

/** Max characters of an answer. */
const maxAnswer = 256 * 1024;

/** Reads the text and the usage of an answer. @throws the model's error, RunFailure, the signal's reason */
export async function readAnswer(
  model: CallableModel,
  options: CallOptions,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: LanguageModelV4Usage | undefined }> {
  const { stream } = await abortable(model.stream(options), signal);
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  let text = "";
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") text += part.delta;
      if (text.length > maxAnswer) throw new RunFailure("output_too_large", "The model's answer is too large.");
      if (part.type === "finish" && part.finishReason.unified !== "error") {
        return { text, usage: countedUsage(part.usage) };
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    reader.cancel().catch(() => undefined);
  }
  signal.throwIfAborted();
  throw new AnswerCutOff("The model's answer broke off before its end.");
}
