import type { UserDataStore } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";
import { userErasure } from "./erase.ts";
import { userExport } from "./export.ts";
import { ownRows } from "./own-rows.ts";

/** Makes the store of users' data of a database. */
export function userDataStore(database: Database): UserDataStore {
  return { runs: ownRows(database).runs, ...userErasure(database), export: userExport(database) };
}
