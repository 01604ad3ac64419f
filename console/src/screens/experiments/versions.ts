/** The sides of experiments. */

/** The number of a version, or the definition in code. Undefined: the version that new runs use. */
export type TrialVersion = number | "code" | undefined;

export function nameOfVersion(version: TrialVersion | null): string {
  return version === "code" ? "code" : typeof version === "number" ? `version ${version}` : "version in use";
}

/** The value of a version in a list of choices. */
export function choiceOf(version: TrialVersion): string {
  return version === undefined ? "current" : String(version);
}

export function versionOf(choice: string): TrialVersion {
  return choice === "code" ? "code" : choice === "current" ? undefined : Number(choice);
}
