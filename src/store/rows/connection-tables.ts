/** The tables of connections. Times are milliseconds since the epoch. */

/** A user's account at a provider. */
export interface ConnectionsTable {
  user_id: string;
  provider: string;
  /** JSON text. */
  tokens: string;
  /** JSON list. */
  scopes: string;
  expires_at: number | null;
  version: number;
  /** By the database's clock. */
  refreshing_until: number;
  created_at: number;
  updated_at: number;
}

/** A flow that connects an account. */
export interface ConnectionFlowsTable {
  digest: string;
  provider: string;
  user_id: string;
  /** JSON text. */
  flow: string;
  expires_at: number;
}
