/** Differences between two lists of lines, in the unified format of `diff -u`. */

/** Unchanged lines around a change. */
const context = 3;

/** Max lines that are compared with each other: beyond it, all lines between the common ends count as changed. */
const maxCompared = 4_000;

type Change = readonly [sign: " " | "-" | "+", line: string];

/** Returns the lines of the differences; none for equal lists. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  const changes = changesOf(before, after);
  const near = changes.map((_, place) =>
    changes.slice(Math.max(place - context, 0), place + context + 1).some(([sign]) => sign !== " "),
  );
  const lines: string[] = [];
  const at = { before: 1, after: 1 };
  for (let place = 0; place < changes.length; place++) {
    if (near[place] && !near[place - 1]) {
      let end = place;
      while (near[end]) end++;
      const hunk = changes.slice(place, end);
      const size = (other: "-" | "+"): number => hunk.filter(([sign]) => sign !== other).length;
      lines.push(`@@ -${at.before},${size("+")} +${at.after},${size("-")} @@`);
      lines.push(...hunk.map(([sign, line]) => sign + line));
    }
    const sign = changes[place]?.[0];
    if (sign !== "+") at.before++;
    if (sign !== "-") at.after++;
  }
  return lines;
}

function changesOf(before: readonly string[], after: readonly string[]): readonly Change[] {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const same = (lines: readonly string[]): readonly Change[] => lines.map((line) => [" ", line] as const);
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  return [
    ...same(before.slice(0, start)),
    ...(old.length + fresh.length > maxCompared ? replaced(old, fresh) : compared(old, fresh)),
    ...same(before.slice(before.length - end)),
  ];
}

function replaced(before: readonly string[], after: readonly string[]): readonly Change[] {
  return [...before.map((line) => ["-", line] as const), ...after.map((line) => ["+", line] as const)];
}

/** Keeps a longest common subsequence. */
function compared(before: readonly string[], after: readonly string[]): readonly Change[] {
  const width = after.length + 1;
  // Cell (i, j): the length of the longest common subsequence of `before` from i and `after` from j.
  const lengths = new Uint16Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      changes.push([" ", before[i] ?? ""]);
      i++;
      j++;
    } else if (j === after.length || (i < before.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      changes.push(["-", before[i++] ?? ""]);
    } else {
      changes.push(["+", after[j++] ?? ""]);
    }
  }
  return changes;
}

/** A JSON value as lines: members in the order of their names, and each line of a longer text on a line of its own. */
export function jsonLines(value: unknown, indent = ""): readonly string[] {
  if (typeof value === "string" && value.includes("\n"))
    return ["|", ...value.split("\n").map((line) => `${indent}  ${line}`)];
  if (Array.isArray(value)) {
    const items = value.map((item) => [...jsonLines(item, `${indent}  `)]);
    return items.length === 0 ? ["[]"] : ["", ...items.flatMap((item) => entry(`${indent}-`, item))];
  }
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  if (members.length === 0) return ["{}"];
  return ["", ...members.flatMap(([name, member]) => entry(`${indent}${name}:`, jsonLines(member, `${indent}  `)))];
}

function entry(name: string, [first = "", ...rest]: readonly string[]): readonly string[] {
  return [first === "" ? name : `${name} ${first}`, ...rest];
}
