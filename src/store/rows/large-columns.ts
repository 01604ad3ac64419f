/** Reads the large columns of a page's rows, as far as they fit. The rows themselves were read first, with the sizes of these columns. */

/** Max bytes per statement. A larger row is read alone. */
const bytesPerRead = 1024 * 1024;

/**
 * Returns the texts of rows, in order, that fit into `maxBytes` together. A row that does not fit is skipped; later rows may still fit.
 *
 * @param read reads the texts of some rows
 */
export async function fittingTexts<Key, Texts>(
  rows: readonly { readonly key: Key; readonly bytes: number }[],
  maxBytes: number,
  read: (keys: readonly Key[]) => Promise<readonly (Texts & { readonly key: Key })[]>,
): Promise<ReadonlyMap<Key, Texts>> {
  const texts = new Map<Key, Texts>();
  const take = async (keys: readonly Key[]): Promise<void> => {
    if (keys.length > 0) for (const row of await read(keys)) texts.set(row.key, row);
  };
  let left = maxBytes;
  let keys: Key[] = [];
  let waiting = 0;
  for (const { key, bytes } of rows) {
    if (bytes > left) continue;
    left -= bytes;
    if (waiting + bytes > bytesPerRead) {
      await take(keys);
      [keys, waiting] = [[], 0];
    }
    keys.push(key);
    waiting += bytes;
  }
  await take(keys);
  return texts;
}
