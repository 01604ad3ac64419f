/** The tables of component versions. Times are milliseconds since the epoch. */
import type { ComponentKind } from "../../model/run/run.ts";
import type { VersionStage } from "../contract/component-versions.ts";

/** A component with versions. */
export interface ComponentsTable {
  id: string;
  kind: ComponentKind;
  name: string;
  /** JSON text. */
  description: string | null;
  /** JSON object. */
  metadata: string | null;
  /** The version that runs use; null for none. */
  current_version: number | null;
  /** The highest version that ever existed. */
  last_version: number;
  /** The user who created it. */
  created_by: string | null;
  created_at: number;
  updated_at: number | null;
  deleted_at: number | null;
}

/** A version of a component. */
export interface ComponentVersionsTable {
  component_id: string;
  version: number;
  /** JSON text. */
  label: string | null;
  stage: VersionStage;
  /** 1 if it becomes the current version when it is published. */
  sets_current: number;
  /** JSON object. */
  config: string;
  /** JSON text. */
  notes: string | null;
  /** The user who created it. */
  created_by: string | null;
  created_at: number;
  updated_at: number | null;
  deleted_at: number | null;
}

/** The number of changes of what runs use. */
export interface ComponentRevisionTable {
  id: number;
  revision: number;
}
