/** How a run is named in URLs. */

export type ComponentKind = "agent" | "team" | "workflow";

export interface RunName {
  readonly kind: ComponentKind;
  readonly component: string;
  readonly run: string;
  readonly session: string | undefined;
}
