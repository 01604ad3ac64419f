/** A file cannot be parsed. Clients see the text. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}
