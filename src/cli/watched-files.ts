import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Watches files through their folders. Some editors save a file by renaming a new file to its name; a watch on the
 * file itself would remain on the replaced file.
 */
export class WatchedFiles {
  readonly #changed: (path: string) => void;
  readonly #paths = new Set<string>();
  #folders = new Map<string, FSWatcher>();

  /** @param changed called with the absolute path, possibly several times for one save */
  constructor(changed: (path: string) => void) {
    this.#changed = changed;
  }

  /** Adds a file by its absolute path; the file may be missing. */
  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    this.#watchFolder(dirname(path), this.#folders);
  }

  /** Watches the same files again, because a folder may have been replaced, too. The old watches end last, so that no change is missed. */
  renew(): void {
    const before = this.#folders;
    this.#folders = new Map();
    for (const path of [...this.#paths]) this.#watchFolder(dirname(path), this.#folders);
    for (const watcher of before.values()) watcher.close();
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #watchFolder(folder: string, folders: Map<string, FSWatcher>): void {
    if (folders.has(folder)) return;
    try {
      const watcher = watch(folder, (_, name) => {
        // A folder that is moved or deleted reports its own name.
        const path = name === null || name === basename(folder) ? folder : join(folder, name);
        if (path === folder || this.#paths.has(path)) this.#changed(path);
      });
      watcher.on("error", () => this.#changed(folder));
      folders.set(folder, watcher);
    } catch (error) {
      if (dirname(folder) === folder || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      // The parent folder reports when this folder is created.
      this.#paths.add(folder);
      this.#watchFolder(dirname(folder), folders);
    }
  }
}
