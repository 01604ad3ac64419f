/** The lines that two texts do not share. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Larger comparisons show all lines as replaced, because their time grows with the product of the lines. */
const maxCells = 4_000_000;

/** Compares two texts by lines. An empty text has no lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const one = linesOf(before);
  const other = linesOf(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const middle = between(one.slice(start, one.length - end), other.slice(start, other.length - end));
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [...one.slice(0, start).map(same), ...middle, ...one.slice(one.length - end).map(same)];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** Keeps a longest common subsequence of the lines. */
function between(one: readonly string[], other: readonly string[]): readonly DiffLine[] {
  const width = other.length + 1;
  const isLarge = one.length * other.length > maxCells;
  const lengths = new Uint32Array(isLarge ? 0 : (one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = isLarge ? -1 : one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < one.length || column < other.length) {
    const isSame = !isLarge && row < one.length && one[row] === other[column];
    const removes = row < one.length && (column >= other.length || at(row + 1, column) >= at(row, column + 1));
    if (isSame) lines.push({ kind: "same", text: one[row] ?? "" });
    else if (removes) lines.push({ kind: "removed", text: one[row] ?? "" });
    else lines.push({ kind: "added", text: other[column] ?? "" });
    if (isSame || removes) row++;
    if (isSame || !removes) column++;
  }
  return lines;
}
