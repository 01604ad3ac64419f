/** Starts the console. */
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./shell/global.css";
import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { styleNonce } from "./api/places.ts";
import { queries } from "./api/queries.ts";
import { router } from "./routing/router.tsx";
import { cssVariables, theme } from "./shell/theme.ts";

// The library that stops scrolling behind a dialog takes the nonce of its style element from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

// A relative address would change its meaning with the path of the page.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[href]")) link.setAttribute("href", link.href);

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id root.");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
      cssVariablesResolver={cssVariables}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
