/** The functions that open a Postgres database, as one module: it is loaded only when the database is Postgres. */

export { openStandby } from "../standby-reads.ts";
export { checkConnectionString } from "./client.ts";
export { openPostgres } from "./database.ts";
export { Hosts } from "./hosts.ts";
export { rejectPooler } from "./pooler.ts";
export { postgresSignals } from "./signals.ts";
