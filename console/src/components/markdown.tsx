/** Text of a model as Markdown, also while it streams. */
import { Anchor } from "@mantine/core";
import { memo, type ReactNode } from "react";
import { type Components, Streamdown } from "streamdown";
import classes from "./markdown.module.css";

/** The library's own elements need the classes of another framework. */
const components: Components = {
  h1: plain("h3"),
  h2: plain("h4"),
  h3: plain("h5"),
  h4: plain("h6"),
  h5: plain("h6"),
  h6: plain("h6"),
  p: plain("p"),
  ul: plain("ul"),
  ol: plain("ol"),
  li: plain("li"),
  blockquote: plain("blockquote"),
  hr: () => <hr />,
  strong: plain("strong"),
  em: plain("em"),
  inlineCode: plain("code"),
  code: plain("code"),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long code scrolls, so that the keyboard must reach it.
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, so that the keyboard must reach it.
    <div className={classes.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  thead: plain("thead"),
  tbody: plain("tbody"),
  tr: plain("tr"),
  th: plain("th"),
  td: plain("td"),
  a: ({ children, href }) => (
    <Anchor href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </Anchor>
  ),
  img: ({ alt, src }) =>
    typeof src === "string" && src.startsWith("data:") ? <img alt={alt} src={src} /> : <em>{alt}</em>,
};

/** The library sanitizes HTML in a text. */
export const Markdown = memo(({ text, isStreaming }: { readonly text: string; readonly isStreaming: boolean }) => (
  <Streamdown
    className={classes.markdown ?? ""}
    components={components}
    mode={isStreaming ? "streaming" : "static"}
    controls={false}
    linkSafety={{ enabled: false }}
  >
    {text}
  </Streamdown>
));

function plain(
  Tag:
    | "p"
    | "ul"
    | "ol"
    | "li"
    | "blockquote"
    | "strong"
    | "em"
    | "code"
    | "thead"
    | "tbody"
    | "tr"
    | "th"
    | "td"
    | "h3"
    | "h4"
    | "h5"
    | "h6",
) {
  return ({ children }: { children?: ReactNode; node?: unknown }): ReactNode => <Tag>{children}</Tag>;
}
