/** Files that a person attaches to a message. The server checks their types. */
import type { AppendMessage, AttachmentAdapter } from "@assistant-ui/react";

export const attachments: AttachmentAdapter = {
  accept: "*",
  add: async ({ file }) => ({
    id: `${file.name}/${file.size}/${file.lastModified}`,
    type: file.type.startsWith("image/") ? "image" : "file",
    name: file.name,
    contentType: file.type,
    file,
    status: { type: "requires-action", reason: "composer-send" },
  }),
  // The start of the run sends the files.
  send: async (attachment) => ({ ...attachment, content: [], status: { type: "complete" } }),
  remove: async () => {},
};

export function filesOf({ attachments: attached = [] }: AppendMessage): readonly File[] {
  return attached.flatMap(({ file }) => file ?? []);
}

export function textOf({ content }: AppendMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
