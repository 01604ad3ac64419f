/** The root of all routes. Screens attach theirs to it; `router.tsx` gives it its component. */

import type { Icon } from "@tabler/icons-react";
import { createRootRoute } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { Permission } from "../session/me.ts";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Adds the screen to the navigation and the command palette. */
    readonly nav?: NavEntry;
  }
}

/** A screen in the navigation. */
export interface NavEntry {
  readonly label: string;
  readonly icon: Icon;
  /** Callers see the entry if they may use one of these routes. Default: all callers see it. */
  readonly needs?: readonly Permission[];
  /** A short note beside the label, such as a number of waiting requests. */
  readonly badge?: ComponentType;
}

export const rootRoute = createRootRoute();
