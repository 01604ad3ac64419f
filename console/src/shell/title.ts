/** Titles of the browser's tab. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { infoQuery } from "../session/me.ts";

/** Shows a title in the browser's tab, with the name of the platform. */
export function useTitle(title: string): void {
  const { data } = useQuery(infoQuery);
  const platform = data?.name ?? "Troupe";
  useEffect(() => {
    document.title = `${title} · ${platform}`;
  }, [title, platform]);
}
