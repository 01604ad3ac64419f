/** The artifacts of a run: its answer, artifacts that its definition adds, and its files. */
import type { StoredArtifact } from "../../../model/run/artifact.ts";
import { fileName, type Media } from "../../../model/run/message.ts";
import type { Artifact, ArtifactUpdate, Part, TaskName } from "../protocol.ts";
import { toFilePart } from "./parts.ts";

/** Maximum number of characters of a chunk: longer texts and files are sent in several. */
const chunkLength = 256 * 1024;

/** Id of the answer's artifact. */
export const answerArtifactId = "answer";

/** The answer as an artifact. */
export function answerArtifact(parts: readonly Part[]): Artifact {
  return { artifactId: answerArtifactId, name: "answer", parts };
}

/** Artifacts that definitions add: of several with the same name, the last one, at the position of the first. */
export function addedArtifacts(stored: readonly string[], withBytes = true): readonly Artifact[] {
  const all = stored.map((text) => JSON.parse(text) as StoredArtifact);
  const byName = new Map(all.map((one) => [one.name, one]));
  return [...byName.values()].filter(({ bytes }) => withBytes || bytes === undefined).map(toArtifact);
}

/** An artifact that a definition adds. */
export function toArtifact({ name, description, metadata, ...content }: StoredArtifact): Artifact {
  const artifactId = `made/${name}`;
  return {
    artifactId,
    name,
    ...(description && { description }),
    parts: [partOf(content)],
    ...(metadata && { metadata }),
  };
}

function partOf({ text, data, bytes, url, mediaType, filename }: Omit<StoredArtifact, "name">): Part {
  const details = { ...(mediaType && { mediaType }), ...(filename && { filename }) };
  if (text !== undefined) return { kind: "text", text, ...details };
  if (bytes === undefined && url === undefined) return { kind: "data", data, ...details };
  const where = bytes === undefined ? { uri: url ?? "" } : { bytes };
  return {
    kind: "file",
    file: { ...where, ...(mediaType && { mimeType: mediaType }), ...(filename && { name: filename }) },
  };
}

/** Files, each as its own artifact. */
export function fileArtifacts(files: readonly Media[]): readonly Artifact[] {
  return files.map((file, number) => {
    const name = fileName(file);
    return { artifactId: `file-${number + 1}`, ...(name ? { name } : {}), parts: [toFilePart(file)] };
  });
}

/** An artifact in chunks of bounded size; the first chunk replaces everything sent under its id before. */
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

/** Base64 is split between groups of four characters, so that each piece is valid base64. */
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

/** Splits a text without splitting a surrogate pair. */
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
