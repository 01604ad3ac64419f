/** Indexes on SQLite that find ended runs with events, ended schedule fires, and the paused runs of a session. */
export const retentionSqlite: string = `
create index heads_kept on run_heads (updated_at, run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted = 1 and session_seq is not null;
create index heads_paused on run_heads (session_key) where status = 'PAUSED' and session_seq is not null;
create index schedule_fires_ended on schedule_fires (completed_at, id) where is_open = 0 and status <> 'paused';
`;
