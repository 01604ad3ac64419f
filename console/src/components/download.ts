/** Files that the browser saves. */

/** Saves a value as a JSON file. */
export function downloadJson(name: string, value: unknown): void {
  download(name, JSON.stringify(value, null, 2), "application/json");
}

/** Saves a text as a file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
