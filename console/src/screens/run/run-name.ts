/** How a run is named in URLs. */
import type { ComponentKind } from "../../api/component-kinds.ts";

export interface RunName {
  readonly kind: ComponentKind;
  readonly component: string;
  readonly run: string;
  readonly session: string | undefined;
}
