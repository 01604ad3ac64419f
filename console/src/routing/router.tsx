/** The router with every screen. */
import { createRouter } from "@tanstack/react-router";
import { consolePath } from "../api/places.ts";
import { ErrorPanel } from "../components/error-panel.tsx";
import { screens } from "../screens/all.ts";
import { signedInRoute } from "../session/signed-in.tsx";
import { NotFound } from "../shell/not-found.tsx";
import { PageSkeleton } from "../shell/page-skeleton.tsx";
import { Shell } from "../shell/shell.tsx";
import { rootRoute } from "./root.ts";

rootRoute.update({ component: Shell });

export const router = createRouter({
  routeTree: rootRoute.addChildren([...screens, signedInRoute]),
  basepath: consolePath,
  defaultPreload: "intent",
  defaultPendingComponent: PageSkeleton,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ({ error, reset }) => <ErrorPanel error={error} onRetry={reset} />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
