// The site's configuration (VitePress). scripts/docs.ts copies it beside the pages that it gathers.
import { readFileSync } from "node:fs";

/** What the pages are, in their order; written by scripts/docs.ts. */
const { sidebar } = JSON.parse(readFileSync(new URL("pages.json", import.meta.url), "utf8"));

export default {
  title: "Troupe",
  description: "The agent platform server for TypeScript: a run is a durable log, and work is never lost",
  lang: "en",
  cleanUrls: false,
  // Headings have the anchors that the pages' own links and GitHub give them.
  markdown: {
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_\s-]/gu, "")
          .trim()
          .replaceAll(/\s/g, "-"),
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    sidebar,
    nav: [
      { text: "Guide", link: "/guide/agents" },
      { text: "HTTP API", link: "/api" },
      { text: "TypeScript", link: "/reference/" },
      { text: "Errors", link: "/guide/errors" },
    ],
  },
};
