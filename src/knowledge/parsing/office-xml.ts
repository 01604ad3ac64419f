/** Reads the XML files of Office documents as a stream of elements. Entities of documents are not expanded. */
import { StringDecoder } from "node:string_decoder";
import { Parser } from "htmlparser2";
import type { Archive } from "./archive.ts";
import { Unreadable } from "./unreadable.ts";

/** Calls for the elements of an XML file. Names have their usual prefixes, such as `w:p`. */
export interface XmlReader {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Bytes that are parsed at once. */
const step = 65_536;

/** Max nested elements. */
const maxDepth = 1_000;

/** Reads an XML file. Returns whether the archive has it. @throws Unreadable */
export function readXml(archive: Archive, file: string, reader: XmlReader): boolean {
  const bytes = archive.read(file);
  if (!bytes) return false;
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth) throw new Unreadable("The file is nested too deeply.");
        reader.open?.(name, attributes);
      },
      ontext: (text) => reader.text?.(text),
      onclosetag(name) {
        depth -= 1;
        reader.close?.(name);
      },
    },
    { xmlMode: true },
  );
  const decoder = new StringDecoder("utf8");
  for (let start = 0; start < bytes.length; start += step)
    parser.write(decoder.write(bytes.subarray(start, start + step)));
  parser.end(decoder.end());
  return true;
}

/** A relation of a part of a document to another part. */
export interface Relation {
  /** The last part of its type's URI, such as `slide`. */
  readonly type: string;
  /** Path of the other part in the archive. */
  readonly target: string;
}

/** Returns the relations of a part by their ids. @throws Unreadable */
export function relationsOf(archive: Archive, part: string): ReadonlyMap<string, Relation> {
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const relations = new Map<string, Relation>();
  readXml(archive, `${folder}_rels/${part.slice(folder.length)}.rels`, {
    open(name, { Id, Type, Target, TargetMode }) {
      if (name !== "Relationship" || Id === undefined || Target === undefined || TargetMode === "External") return;
      const target = Target.startsWith("/") ? Target.slice(1) : resolve(folder + Target);
      relations.set(Id, { type: Type?.split("/").at(-1) ?? "", target });
    },
  });
  return relations;
}

function resolve(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
