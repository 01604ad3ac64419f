/** Downloads files of messages. */
import { TroupeError } from "../../errors.ts";
import { type Media, mediaKind } from "../../model/run/message.ts";

/** A file on a platform's server. */
export interface RemoteFile {
  readonly url: string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds for a download. */
const timeout = 30_000;

/** Downloads a file as media of a message. @throws TroupeError `tooLarge`, `badGateway` */
export async function download({ url, name, mediaType, headers = {} }: RemoteFile, maxBytes: number): Promise<Media> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const response = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeout) });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new TroupeError("tooLarge", `The file ${name ?? ""} is larger than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    throw new TroupeError("badGateway", "A file of the message could not be downloaded.", { cause: error });
  }
  const type = mediaType?.toLowerCase() || "application/octet-stream";
  return {
    kind: mediaKind(type),
    mediaType: type,
    ...(name && { filename: name }),
    data: Buffer.concat(chunks).toString("base64"),
  };
}
