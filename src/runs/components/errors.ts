/** Errors about components and their versions. */
import { TroupeError } from "../../errors.ts";

export function missing(id: string): TroupeError {
  return new TroupeError("notFound", `Component ${id} not found`);
}

export function missingVersion(id: string, version: number | string): TroupeError {
  const text = Number.isNaN(version) ? "with this version" : `v${version}`;
  return new TroupeError("notFound", `Config ${id} ${text} not found`);
}

export function taken(id: string): TroupeError {
  return new TroupeError("conflict", `Component ${id} already exists`);
}

/** Max components that an error names. */
const maxNamed = 10;

export function used(id: string, users: readonly string[]): TroupeError {
  const names = users.slice(0, maxNamed).map((key) => key.replace("/", " "));
  const more = users.length > maxNamed ? [`${users.length - maxNamed} more`] : [];
  const text = `Component ${id} is used by ${[...names, ...more].join(", ")}: change these first, or send force=true`;
  return new TroupeError("conflict", text);
}

export function published(id: string, version: number): TroupeError {
  return new TroupeError("badRequest", `Cannot update published config ${id} v${version}`);
}

export function notPublished(id: string, version: number): TroupeError {
  return new TroupeError("badRequest", `Cannot set draft config ${id} v${version} as current: publish it first`);
}
