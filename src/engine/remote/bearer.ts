import type { Remote } from "../../define/remote.ts";

/** What is sent to the other server for a run whose caller brought this token. */
export async function bearerFor({ credential }: Remote, ofCaller: string | undefined): Promise<string | undefined> {
  if (credential === "none") return undefined;
  return credential === "caller" ? ofCaller : await credential();
}
