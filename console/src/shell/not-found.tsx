import type { ReactNode } from "react";
import { NotThere } from "../components/not-there.tsx";

export function NotFound(): ReactNode {
  return (
    <NotThere title="There is no such page" message="The address names no page of the console" to="/" screen="Home">
      It may be mistyped, or the page may need a newer version of the server.
    </NotThere>
  );
}
