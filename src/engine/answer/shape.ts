/** The form of the answer: an output model writes it, and a parser model converts it to the output schema. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { instructedModel } from "../../define/component.ts";
import { toSection } from "../../model/prompt-text.ts";
import type { Message } from "../../model/run/message.ts";
import { requestName } from "../../model/run/run-marks.ts";
import { emitAnswer } from "../loops/answers.ts";
import type { RunScope } from "../loops/contract.ts";
import { promptMessages, type Work } from "../loops/work.ts";
import type { AnswerSchema } from "../model-call/answer-schema.ts";
import { type AuxiliaryRequest, requestValue, textPrompt } from "../model-call/auxiliary-request.ts";
import { toPrompt } from "../model-call/prompt.ts";
import { emitOnce } from "./once.ts";
import { writeAnswer } from "./write-answer.ts";

const parserInstructions =
  "Convert the text of the user to the required form. Use only facts of the text, and leave out what the form does not ask for.";
const outputInstructions =
  "Write the final answer to the user's last message. Use the conversation, the results of tools and the draft of the answer.";

/**
 * Makes the final answer from the answer of the turns, once for each answer of the run.
 * @throws RunFailure, RunPaused or RunStopped
 */
export async function shapeAnswer(work: Work): Promise<void> {
  const { scope, progress, finalSchema } = work;
  const { outputModel, parserModel } = scope.component;
  // Results of tools are the answer as they are.
  if (progress.answer) return;
  if (outputModel) await writeOutput(work, parserModel ? undefined : finalSchema);
  if (parserModel && finalSchema) await parseAnswer(work, finalSchema);
}

async function writeOutput(work: Work, schema: AnswerSchema | undefined): Promise<void> {
  const { scope } = work;
  const { model, instructions = outputInstructions } = instructedModel(scope.component.outputModel ?? "");
  const place = answerPlace(scope);
  const name = `output_model/${place}`;
  const request: AuxiliaryRequest = {
    ...{ purpose: "output_model", name, model, settings: scope.component.modelSettings },
    prompt: outputPrompt(work, instructions, place),
  };
  const isWritten = scope.messages.at(-1)?.position !== place;
  if (!isWritten && scope.mark(requestName(name)) === undefined) scope.emit("OutputModelResponseStarted");
  if (schema) await emitValue(work, request, schema);
  else if (!isWritten) await writeAnswer(work, request);
  emitOnce(scope, `${name}/emitted`, "OutputModelResponseCompleted");
}

async function parseAnswer(work: Work, schema: AnswerSchema): Promise<void> {
  const { scope } = work;
  const { model, instructions = parserInstructions } = instructedModel(scope.component.parserModel ?? "");
  const answer = scope.messages.at(-1);
  const name = `parser_model/${answer?.position}`;
  const prompt = textPrompt(instructions, answer?.message.content ?? "");
  if (scope.mark(requestName(name)) === undefined) scope.emit("ParserModelResponseStarted");
  await emitValue(work, { purpose: "parser_model", name, model, prompt }, schema);
  emitOnce(scope, `${name}/emitted`, "ParserModelResponseCompleted");
}

/** Requests a structured answer and emits it whole, before the event that ends its stage. */
async function emitValue(work: Work, request: AuxiliaryRequest, schema: AnswerSchema): Promise<void> {
  const { scope, progress, hooks } = work;
  const value = await requestValue(scope, request, schema);
  const content = hooks ? hooks.redactValue(value) : value;
  progress.answer = { content, contentType: schema.name };
  if (scope.mark(`${request.name}/emitted`) === undefined) emitAnswer(work, progress.answer);
}

/** Position of the last message that answers without the output model. */
function answerPlace({ messages }: RunScope): number {
  return messages.findLast(({ message }) => message.role === "assistant" && !message.purpose)?.position ?? 0;
}

function outputPrompt(work: Work, instructions: string, place: number): LanguageModelV4Prompt {
  const { scope, system } = work;
  const draft = toSection("draft", scope.messages[place]?.message.content ?? "");
  const request: Message = { role: "user", content: `${draft}\nWrite the final answer.` };
  const { history, messages } = promptMessages(work, place);
  return toPrompt({
    system: [system, instructions].filter(Boolean).join("\n\n"),
    history,
    messages: [...messages, request],
  });
}
