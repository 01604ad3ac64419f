/** The screens that the caller may open. */

import type { NavEntry } from "../routing/root.ts";
import { screens } from "../screens/all.ts";
import { useMay } from "../session/me.ts";

export interface NavLink extends NavEntry {
  readonly to: (typeof screens)[number]["fullPath"];
}

export function useNavLinks(): readonly NavLink[] {
  const may = useMay();
  return screens.flatMap(({ fullPath, options }) => {
    const nav = options.staticData?.nav;
    if (!nav || (nav.needs && !nav.needs.some((permission) => may(permission)))) return [];
    return [{ ...nav, to: fullPath }];
  });
}
