/** Validates the first messages that a platform suggests. */
import { ConfigurationError } from "../../errors.ts";

/** Messages by the id of the component. */
export type QuickPrompts = Readonly<Record<string, readonly string[]>>;

/** @throws ConfigurationError naming the component and the fix */
export function checkQuickPrompts(
  platform: string,
  prompts: QuickPrompts | undefined,
  components: readonly { readonly id: string }[],
): QuickPrompts | undefined {
  if (prompts === undefined) return undefined;
  if (typeof prompts !== "object" || prompts === null || Array.isArray(prompts))
    throw new ConfigurationError(`${platform}: quickPrompts must be lists of messages by the id of the component.`);
  for (const [id, messages] of Object.entries(prompts)) {
    if (!components.some((one) => one.id === id))
      throw new ConfigurationError(
        `${platform}: quickPrompts names "${id}", which is not a component of the platform.`,
      );
    if (!Array.isArray(messages) || messages.some((message) => typeof message !== "string" || message.trim() === ""))
      throw new ConfigurationError(`${platform}: quickPrompts of "${id}" must be a list of messages.`);
  }
  return prompts;
}
