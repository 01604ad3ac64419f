/** The chat that a run belongs to, and the values of buttons. */
import type { InterfaceServices } from "../../http/transport/services.ts";
import { optionsOf } from "../../model/run/stored-run.ts";
import type { RunRow } from "../../runs/find.ts";
import { objectOf } from "./json.ts";
import type { ChannelOptions } from "./options.ts";
import type { ChatPlace, ChatPlatform } from "./platform.ts";

/** The message that started a run, as the run stores it. */
export interface Origin {
  readonly channel: string;
  readonly place: ChatPlace;
  readonly user: string;
}

/** The parts of a channel. */
export interface ChannelParts {
  /** Its name: `slack` or `telegram`. */
  readonly name: string;
  readonly platform: ChatPlatform;
  readonly options: ChannelOptions;
  readonly services: InterfaceServices;
}

/** The run of a button, and the pause that the button answers. */
interface ButtonValue {
  readonly isYes: boolean;
  readonly runId: string;
  /** Index of the pause event. */
  readonly index: number;
}

/** The value of a button: at most 64 bytes. */
export function buttonValue({ isYes, runId, index }: ButtonValue): string {
  return `${isYes ? "y" : "n"}:${runId}:${index}`;
}

/** Parses the value of a button; undefined for another text. */
export function readButton(text: string): ButtonValue | undefined {
  const [, answer, runId, index] = /^([yn]):([^:]+):(\d{1,15})$/.exec(text) ?? [];
  return runId === undefined ? undefined : { isYes: answer === "y", runId, index: Number(index) };
}

/** The origin of a run; undefined if the channel did not start it. */
export function originOf(run: Pick<RunRow, "options">, channel: string): Origin | undefined {
  const origin = objectOf(optionsOf(run).metadata?.channel);
  return origin.channel === channel ? (origin as unknown as Origin) : undefined;
}
