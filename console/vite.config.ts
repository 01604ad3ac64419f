/** How the console is built, and how it is served during its development: README.md. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

const server = process.env.TROUPE_URL ?? "http://127.0.0.1:7777";

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Paths in the build are relative, because a proxy may serve the console under any prefix.
  base: command === "serve" ? "/console/" : "./",
  plugins: [react()],
  resolve: { conditions: ["troupe-source", ...defaultClientConditions] },
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: "es2023",
    // The colours use light-dark(), which older targets replace by variables that nothing sets.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // The content security policy allows files only, no data in URLs.
    assetsInlineLimit: 0,
    manifest: "manifest.json",
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: { "^/(?!console)": { target: server, ws: true } } },
}));
