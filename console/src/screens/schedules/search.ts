/** State of the screens, in the URL. */
import { countIn, type RawSearch, textIn } from "../../routing/search.ts";

export interface ScheduleSearch {
  readonly enabled?: "true" | "false" | undefined;
  readonly page?: number | undefined;
  /** Whether the form of a new schedule is open. */
  readonly create?: true | undefined;
}

export function readScheduleSearch(search: RawSearch): ScheduleSearch {
  const enabled = textIn(search, "enabled");
  return {
    enabled: enabled === "true" || enabled === "false" ? enabled : undefined,
    page: countIn(search, "page"),
    create: search.create === true ? true : undefined,
  };
}

export interface OneScheduleSearch {
  readonly page?: number | undefined;
  readonly edit?: true | undefined;
}

export function readOneScheduleSearch(search: RawSearch): OneScheduleSearch {
  return { page: countIn(search, "page"), edit: search.edit === true ? true : undefined };
}
