/** Large columns of the rows of a page: they are read as far as they fit, after the rows themselves were read with the sizes of the columns. */

/** Bytes that one statement reads. A larger row is read alone. */
const bytesPerRead = 1024 * 1024;

/**
 * The texts of rows in their order, as far as they fit into `maxBytes` together. A row that does not fit is left out, and those after it are not.
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
