/** Parses a message with its configuration and push target. */
import { z } from "zod";
import { listOf } from "../../../../http/input/bounded-lists.ts";
import type { RequestedTarget } from "../../../../model/push.ts";
import type { Message, Metadata } from "../../protocol.ts";
import { historyLength, metadata, optionalId } from "./members.ts";
import type { ReadMessage } from "./message.ts";

interface Config {
  readonly id: string | undefined;
  readonly url: string;
  readonly token?: string | null | undefined;
  readonly authentication?: Authentication | null | undefined;
}

interface Authentication {
  readonly schemes?: readonly string[] | null | undefined;
  readonly credentials?: string | null | undefined;
}

function toRequestedTarget({ id: name, url, token, authentication }: Config): RequestedTarget {
  const credentials = authentication?.credentials || undefined;
  return { id: name, url, token: token || undefined, schemes: authentication?.schemes ?? [], credentials };
}

const config = { id: optionalId, url: z.string(), token: z.string().nullish() };

export const config03: z.ZodType<RequestedTarget> = z
  .object({
    ...config,
    authentication: z.object({ schemes: listOf(z.string()).nullish(), credentials: z.string().nullish() }).nullish(),
  })
  .transform(toRequestedTarget);

export const config10: z.ZodType<RequestedTarget> = z
  .object({
    ...config,
    authentication: z.object({ scheme: z.string(), credentials: z.string().nullish() }).nullish(),
  })
  .transform(({ authentication, ...given }) => {
    const { scheme, credentials } = authentication ?? {};
    return toRequestedTarget({
      ...given,
      authentication: scheme === undefined ? null : { schemes: [scheme], credentials },
    });
  });

/** The configuration of a sent message. */
interface Configuration {
  readonly acceptedOutputModes?: readonly string[] | null | undefined;
  readonly blocking?: boolean | null | undefined;
  readonly historyLength: number | undefined;
  readonly push: RequestedTarget | null | undefined;
}

const modes = listOf(z.string()).nullish();

export const configuration03: z.ZodType<Configuration> = z
  .object({
    acceptedOutputModes: modes,
    blocking: z.boolean().nullish(),
    historyLength,
    pushNotificationConfig: config03.nullish(),
  })
  .transform(({ pushNotificationConfig, ...configuration }) => ({ ...configuration, push: pushNotificationConfig }));

export const configuration10: z.ZodType<Configuration> = z
  .object({
    acceptedOutputModes: modes,
    returnImmediately: z.boolean().nullish(),
    historyLength,
    taskPushNotificationConfig: config10.nullish(),
  })
  .transform(({ returnImmediately, taskPushNotificationConfig, ...configuration }) => {
    return { ...configuration, blocking: !returnImmediately, push: taskPushNotificationConfig };
  });

/** Protocol buffers omit false and 0: an absent `blocking` means false, and a length of 0 means no limit. */
export const configurationRest03: z.ZodType<Configuration> = z
  .object({
    acceptedOutputModes: modes,
    blocking: z.boolean().nullish(),
    historyLength,
    pushNotification: config03.nullish(),
  })
  .transform(({ pushNotification, blocking, historyLength: length, ...configuration }) => ({
    ...configuration,
    blocking: blocking ?? false,
    historyLength: length || undefined,
    push: pushNotification,
  }));

/** A parsed request to send a message. */
export interface SendParams {
  readonly message: Omit<Message, "kind" | "role">;
  readonly metadata: Metadata | undefined;
  readonly claimedUser: string | undefined;
  readonly accepted: readonly string[] | undefined;
  readonly blocking: boolean;
  readonly historyLength: number | undefined;
  readonly push: RequestedTarget | undefined;
}

interface SendFields {
  readonly message: ReadMessage;
  readonly configuration?: Configuration | null | undefined;
  readonly metadata?: Metadata | null | undefined;
}

/** Schema of a message with its configuration. */
export function sendSchema(
  message: z.ZodType<ReadMessage>,
  configuration: z.ZodType<Configuration>,
): z.ZodType<SendParams> {
  return z.object({ message, configuration: configuration.nullish(), metadata }).transform(toSendParams);
}

function toSendParams({ message, configuration, metadata: about }: SendFields): SendParams {
  const { messageId, parts, contextId, taskId, extensions, referenceTaskIds, metadata: more } = message;
  return {
    message: {
      messageId,
      parts,
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
      ...(extensions?.length && { extensions }),
      ...(referenceTaskIds?.length && { referenceTaskIds }),
      ...(more && { metadata: more }),
    },
    metadata: about ?? undefined,
    claimedUser: more?.userId,
    accepted: configuration?.acceptedOutputModes?.length ? configuration.acceptedOutputModes : undefined,
    blocking: configuration?.blocking ?? true,
    historyLength: configuration?.historyLength,
    push: configuration?.push ?? undefined,
  };
}
