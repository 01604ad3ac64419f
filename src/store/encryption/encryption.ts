/** Encrypts values before they are stored, and decrypts them in results. */
import { DamagedValue } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Transact } from "../transaction.ts";
import { type Cipher, CorruptedValue, columnOf, UnknownDataKey } from "./cipher.ts";
import {
  columnByCode,
  type SealedBytes,
  type SealedColumn,
  sealedBytes,
  sealedColumns,
  sealedNames,
} from "./columns.ts";

/** Beginning of an encrypted text. No JSON text begins with it. */
const prefix = "~e1.";

/** After this many milliseconds a data key that did not exist is looked up again. */
const missingDuration = 60_000;

/** Max data keys that are remembered as missing. */
const maxMissing = 1_000;

/** A transaction reads this value instead of a text that cannot be decrypted. No stored text is empty where JSON is expected. */
export const undecryptable = "";

type Row = Record<string, unknown>;

/** Loads a data key that another process has made. Returns false if there is no such key. */
export type LoadDataKey = (id: number, transact: Transact) => Promise<boolean>;

/** The encryption of one database. */
export class Encryption {
  readonly #cipher: Cipher;
  readonly #runtime: Pick<Runtime, "log" | "clock">;
  readonly #load: LoadDataKey;
  /** Data keys that do not exist, with the times of their lookup. A changed value may name any data key. */
  readonly #missing = new Map<number, number>();
  #transact: Transact | undefined;

  constructor(cipher: Cipher, runtime: Pick<Runtime, "log" | "clock">, load: LoadDataKey) {
    this.#cipher = cipher;
    this.#runtime = runtime;
    this.#load = load;
  }

  /** Id of the data key of new values; undefined if new values are stored unencrypted. */
  get sealingId(): number | undefined {
    return this.#cipher.sealingId;
  }

  /** Returns the text to store in a row's column. `row`: the values that identify the row, as in `sealedColumns`. */
  seal(column: SealedColumn, row: readonly (string | number)[], text: string): string {
    if (this.#cipher.sealingId === undefined) return clearText(text);
    const { code } = sealedColumns[column];
    return prefix + this.#cipher.seal(code, rowName(row), Buffer.from(text)).toString("base64");
  }

  /** Returns the bytes to store. */
  sealBytes(column: SealedBytes, row: readonly (string | number)[], bytes: Buffer): Buffer {
    return this.#cipher.sealingId === undefined ? bytes : this.#cipher.seal(sealedBytes[column], rowName(row), bytes);
  }

  /** Returns the bytes that `sealBytes` has encrypted. @throws TroupeError, UnknownDataKey */
  openBytes(column: SealedBytes, row: readonly (string | number)[], sealed: Buffer): Buffer {
    try {
      return this.#cipher.open(sealedBytes[column], rowName(row), sealed);
    } catch (error) {
      throw this.#reported(error, column, row);
    }
  }

  /**
   * Decrypts the texts of result rows in place.
   * @param isLenient whether a text that cannot be decrypted becomes an empty text, which no reader can parse, instead of an error: one damaged value must not stop
   * a statement that handles many runs
   * @throws TroupeError, UnknownDataKey
   */
  openRows<O>(rows: readonly O[], isLenient = false): readonly O[] {
    for (const row of rows as readonly Row[]) {
      for (const name in row) {
        // Ids are clear, and a user may choose one that begins like an encrypted text.
        if (!sealedNames.has(name)) continue;
        const value = row[name];
        if (typeof value === "string" && value.startsWith(prefix))
          row[name] = this.#openText(value, name, row, isLenient);
      }
    }
    return rows;
  }

  /** Decrypts the texts of result rows, with data keys that other processes have made. */
  opened<O>(rows: readonly O[]): Promise<readonly O[]> {
    return this.withKeys(() => this.openRows(rows));
  }

  /** Specifies how to read data keys that other processes make. Not needed where there are no other processes. */
  attach(transact: Transact): void {
    this.#transact = transact;
  }

  /** Runs a function again when it needs a data key that is not loaded. */
  async withKeys<T>(work: () => T | Promise<T>): Promise<T> {
    for (let last: number | undefined; ; ) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof UnknownDataKey) || error.id === last) throw error;
        last = error.id;
        if (!this.#transact || (await this.#load(last, this.#transact))) continue;
        if (this.#missing.size >= maxMissing) this.#missing.clear();
        this.#missing.set(last, this.#runtime.clock.monotonic());
      }
    }
  }

  /** Whether an error means that a value is damaged. */
  isDamage(error: unknown): boolean {
    return error instanceof DamagedValue;
  }

  #openText(text: string, name: string, row: Row, isLenient: boolean): string {
    const sealed = Buffer.from(text.slice(prefix.length), "base64");
    const column = sealed.length > 0 ? columnByCode.get(columnOf(sealed)) : undefined;
    const spec = column && sealedColumns[column];
    const found = spec?.row.map((names) => row[names.find((each) => row[each] !== undefined) ?? ""]) ?? [];
    const place = found.map(String);
    try {
      if (!spec || !(spec.as as readonly string[]).includes(name) || found.includes(undefined))
        throw new CorruptedValue(`a result has it as "${name}"`);
      return this.#cipher.open(spec.code, rowName(place), sealed).toString();
    } catch (error) {
      const reported = this.#reported(error, column ?? name, place);
      if (isLenient && reported instanceof DamagedValue) return undecryptable;
      throw reported;
    }
  }

  /** Logs which value cannot be decrypted. Neither the log nor the error has any part of the value. */
  #reported(error: unknown, column: string, row: readonly (string | number)[]): unknown {
    const isMissing = error instanceof UnknownDataKey && this.#isMissing(error.id);
    if (!isMissing && !(error instanceof CorruptedValue)) return error;
    const reason = isMissing ? `its data key ${error.id} does not exist` : error.message;
    this.#runtime.log.error({ column, row: rowName(row), reason }, "A stored value cannot be decrypted.");
    return new DamagedValue(error);
  }

  /** Where no other process makes data keys, all of them are loaded. */
  #isMissing(id: number): boolean {
    if (!this.#transact) return true;
    const since = this.#missing.get(id);
    return since !== undefined && this.#runtime.clock.monotonic() - since < missingDuration;
  }
}

/** Beginnings of all texts of a column that a data key has encrypted: column and data key are 40 bits, which end within a character of 6 bits. */
export function sealedTexts(column: SealedColumn, dataKey: number): readonly string[] {
  const header = Buffer.alloc(6);
  header.writeUInt8(sealedColumns[column].code, 0);
  header.writeUInt32BE(dataKey, 1);
  return [0x00, 0x40, 0x80, 0xc0].map((next) => {
    header.writeUInt8(next, 5);
    return prefix + header.toString("base64").slice(0, 7);
  });
}

/** Returns the text to store: unchanged without encryption. */
export function sealText<T extends string | null>(
  encryption: Encryption | undefined,
  column: SealedColumn,
  row: readonly (string | number)[],
  text: T,
): T {
  return encryption === undefined || text === null ? text : (encryption.seal(column, row, text) as T);
}

/** Returns a text that does not look encrypted: a user could choose such a name. */
export function clearText<T extends string | null>(text: T): T {
  return text?.startsWith(prefix) ? (` ${text}` as T) : text;
}

function rowName(row: readonly (string | number)[]): string {
  return row.join("/");
}
