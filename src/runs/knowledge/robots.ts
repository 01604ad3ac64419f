/**
 * Decides by a robots.txt whether a page may be read (RFC 9309). The file comes from a stranger's server: no rule is stored, and the time grows only
 * with the length of the file.
 */

/** The rule that decides so far. */
interface Decision {
  /** Whether the file has rules for this robot. */
  isNamed: boolean;
  /** Length of the rule's pattern: the longest one decides. */
  length: number;
  allows: boolean;
}

/** Whether a robots.txt allows a robot to read a URL. Rules for `*` count if none names the robot. */
export function isAllowedByRobots(text: string, url: string, robot: string): boolean {
  const { pathname, search } = new URL(url);
  const path = normalized(pathname + search);
  const own: Decision = { isNamed: false, length: -1, allows: true };
  const others: Decision = { isNamed: false, length: -1, allows: true };
  /** Whom the rules of the group are for. */
  let group: Set<Decision> = new Set();
  let isHead = false;
  for (const line of text.replace(/^\ufeff/, "").split(/[\r\n]+/)) {
    const [content = ""] = line.split("#", 1);
    const colon = content.indexOf(":");
    const name = content.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = content.slice(colon + 1).trim();
    if (name === "user-agent") {
      if (!isHead) group = new Set();
      isHead = true;
      const decision = value === "*" ? others : isNameOf(robot, value) ? own : undefined;
      if (!decision) continue;
      decision.isNamed = true;
      group.add(decision);
    } else if (name === "allow" || name === "disallow") {
      isHead = false;
      if (value === "" || group.size === 0) continue;
      const pattern = normalized(value);
      if (!matches(pattern, path)) continue;
      for (const decision of group) decide(decision, pattern.length, name === "allow");
    }
  }
  return (own.isNamed ? own : others).allows;
}

/** Of two rules with patterns of equal length, the one that allows decides. */
function decide(decision: Decision, length: number, allows: boolean): void {
  if (length < decision.length || (length === decision.length && !allows)) return;
  decision.length = length;
  decision.allows = allows;
}

/** Whether the value of a `User-agent` line names a robot. A version after the name is ignored. */
function isNameOf(robot: string, value: string): boolean {
  return /^[a-z_-]+/i.exec(value)?.[0].toLowerCase() === robot.toLowerCase();
}

/** In a pattern, `*` is any text, and `$` at the end is the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const [first = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  let at = first.length;
  if (isWhole && parts.length === 0) return path.length === at;
  const last = isWhole ? (parts.pop() ?? "") : "";
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !isWhole || (path.length - at >= last.length && path.endsWith(last));
}

/** Writes each character in one way: letters, digits and `-._~` as they are, others outside of ASCII as their octets (section 2.2.2). */
function normalized(path: string): string {
  return path
    .replace(/[\u{80}-\u{10ffff}]+/gu, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });
}
