/** Writes the main content of HTML pages as Markdown. */
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { oneLine } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";

/** The parts of the DOM that are used here: the server is compiled without the types of browsers. */
interface Element {
  readonly textContent: string | null;
  readonly innerHTML: string;
  remove(): void;
}

interface Page {
  readonly body: Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

/** Elements that are no text of a page. */
const noText =
  "title, script, style, noscript, template, svg, canvas, iframe, object, form, button, input, select, textarea";

/** Share of a page's text that the main content must have: otherwise the page is a list or a table, and everything is taken. */
const minShare = 0.2;

/** Writes a page. @throws RangeError for elements that are nested too deeply */
export function parseHtml(html: string, text: TextBuilder): void {
  const page = parseHTML(withBody(html)).document as unknown as Page;
  const [heading] = page.querySelectorAll("title");
  const title = oneLine(heading?.textContent ?? "");
  for (const element of [...page.querySelectorAll(noText)]) element.remove();
  const whole = page.body?.innerHTML ?? "";
  const length = page.body?.textContent?.length ?? 0;
  // It changes the page, so that what it leaves out is gone afterwards.
  const article = new Readability(page as never, { charThreshold: 200 }).parse();
  const isArticle = (article?.textContent?.length ?? 0) >= length * minShare;
  const content = toMarkdown((isArticle ? article?.content : undefined) ?? whole);
  if (title !== "" && !/^#\s/m.test(content)) text.paragraph(`# ${title}`);
  text.paragraph(content);
}

/** The DOM adds no elements that a page leaves out, and pages may leave out almost all. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html;
  return `<!doctype html><html><body>${html.replace(/<!doctype[^>]*>|<\/?(?:html|head)\b[^>]*>/gi, "")}</body></html>`;
}

function toMarkdown(html: string): string {
  const writer = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  // An image is no text, and a link's address is not what a document says.
  writer.addRule("image", { filter: "img", replacement: (_, node) => (node as { alt?: string }).alt ?? "" });
  writer.addRule("link", { filter: "a", replacement: (content) => content });
  writer.addRule("cell", { filter: ["td", "th"], replacement: (content) => `${oneLine(content)} | ` });
  writer.addRule("row", { filter: "tr", replacement: (content) => `| ${content.trim()}\n` });
  writer.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  return writer.turndown(html);
}
