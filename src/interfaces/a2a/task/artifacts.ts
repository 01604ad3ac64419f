/** What a run has made, as artifacts: its answer, and its files. */
import type { MadeArtifact } from "../../../define/artifact.ts";
import { fileName, type Media } from "../../../model/message.ts";
import type { Artifact, ArtifactUpdate, Part, TaskName } from "../protocol.ts";
import { toFilePart } from "./parts.ts";

/** Characters of one chunk: texts and files that are longer are sent in several. */
const chunkLength = 256 * 1024;

/** Id of the answer. */
export const answerArtifactId = "answer";

/** The answer. */
export function answerArtifact(parts: readonly Part[]): Artifact {
  return { artifactId: answerArtifactId, name: "answer", parts };
}

/** What definitions add: of several of one name the last one, at the place of the first. */
export function madeArtifacts(made: readonly string[], withBytes = true): readonly Artifact[] {
  const all = made.map((text) => JSON.parse(text) as MadeArtifact);
  const byName = new Map(all.map((one) => [one.name, one]));
  return [...byName.values()].filter(({ bytes }) => withBytes || bytes === undefined).map(toArtifact);
}

/** An artifact that a definition adds. */
export function toArtifact({ name, description, metadata, ...content }: MadeArtifact): Artifact {
  const artifactId = `made/${name}`;
  return {
    artifactId,
    name,
    ...(description && { description }),
    parts: [partOf(content)],
    ...(metadata && { metadata }),
  };
}

function partOf({ text, data, bytes, url, mediaType, filename }: Omit<MadeArtifact, "name">): Part {
  const details = { ...(mediaType && { mediaType }), ...(filename && { filename }) };
  if (text !== undefined) return { kind: "text", text, ...details };
  if (bytes === undefined && url === undefined) return { kind: "data", data, ...details };
  const where = bytes === undefined ? { uri: url ?? "" } : { bytes };
  return {
    kind: "file",
    file: { ...where, ...(mediaType && { mimeType: mediaType }), ...(filename && { name: filename }) },
  };
}

/** Files, each an artifact of its own. */
export function fileArtifacts(files: readonly Media[]): readonly Artifact[] {
  return files.map((file, number) => {
    const name = fileName(file);
    return { artifactId: `file-${number + 1}`, ...(name ? { name } : {}), parts: [toFilePart(file)] };
  });
}

/** An artifact in pieces of bounded size; the first one replaces whatever was sent under its id. */
export function inChunks(name: TaskName, artifact: Artifact): readonly ArtifactUpdate[] {
  const pieces = artifact.parts.flatMap(cut);
  return pieces.map((part, number) => ({
    kind: "artifact-update",
    ...name,
    artifact: { ...artifact, parts: [part] },
    append: number > 0,
    lastChunk: number === pieces.length - 1,
  }));
}

/** Base64 is cut where a group of four characters ends, so that each piece is base64 itself. */
function cut(part: Part): readonly Part[] {
  if (part.kind === "text") return slices(part.text).map((text) => ({ ...part, text }));
  const bytes = part.kind === "file" ? part.file.bytes : undefined;
  if (part.kind !== "file" || bytes === undefined || bytes.length <= chunkLength) return [part];
  const all = slices(bytes);
  return all.map((piece, number) => ({
    ...part,
    file: { ...part.file, bytes: piece },
    metadata: { ...part.metadata, chunk: number + 1, chunks: all.length },
  }));
}

/** Pieces of a text that are whole by themselves: no surrogate pair is cut in two. */
function slices(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > chunkLength) {
    const end = start + chunkLength;
    const cutsPair = /[\ud800-\udbff]/.test(text[end - 1] ?? "");
    pieces.push(text.slice(start, cutsPair ? end - 1 : end));
    start = cutsPair ? end - 1 : end;
  }
  return [...pieces, text.slice(start)];
}
