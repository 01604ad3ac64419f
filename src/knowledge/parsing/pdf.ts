/** Reads the text of PDF files, page by page. */
import { getDocumentProxy } from "unpdf";
import type { TextBuilder } from "./text-builder.ts";
import { Unreadable } from "./unreadable.ts";

const maxPages = 10_000;

/** Writes the text of all pages. @throws Unreadable */
export async function parsePdf(bytes: Uint8Array, text: TextBuilder): Promise<void> {
  const pdf = await open(bytes);
  if (pdf.numPages > maxPages) throw new Unreadable(`The PDF has more than ${maxPages} pages.`);
  for (let number = 1; number <= pdf.numPages; number++) {
    text.page();
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const parts = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
    text.paragraph(parts.join(""));
    page.cleanup();
  }
  if (text.length === 0) throw new Unreadable("The PDF has no text: its pages may be scanned images.");
}

async function open(bytes: Uint8Array) {
  try {
    // A copy: the library takes the bytes over.
    return await getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      stopAtErrors: false,
    });
  } catch (error) {
    const { name } = error as Error;
    if (name === "PasswordException") throw new Unreadable("The PDF is protected with a password.");
    if (/^(InvalidPDF|FormatError|MissingPDF)/.test(name)) throw new Unreadable("The PDF is damaged.");
    throw error;
  }
}
