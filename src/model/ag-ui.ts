/** AG-UI of a platform: the option of `definePlatform({ agUi })`. */

/** Options of AG-UI. */
export interface AgUiOptions {
  /** The component that `POST /agui` runs, as `agent:weather`, `team:desk` or `workflow:report`. Default: there is no such route; every component has its own. */
  readonly component?: `${"agent" | "team" | "workflow"}:${string}`;
}
