/** The choices of `troupe init`. The first of each list is the default. */

export const modelProviders = ["scripted", "openai", "anthropic", "openai-compatible"] as const;
export type ModelProvider = (typeof modelProviders)[number];

export const auths = ["none", "key", "jwt"] as const;
export type Auth = (typeof auths)[number];

export const databases = ["sqlite", "postgres"] as const;
export type Database = (typeof databases)[number];

/** A project to write: its name and the choices for it. */
export interface Project {
  readonly name: string;
  /** Version or source of the dependency `troupe`. */
  readonly package: string;
  readonly model: ModelProvider;
  readonly auth: Auth;
  readonly database: Database;
  /** Value of `OS_SECURITY_KEY`; undefined unless `auth` is `key`. */
  readonly securityKey: string | undefined;
}
