/**
 * Indexes on Postgres that find ended runs with events, ended schedule fires, and the paused runs of a session. Vacuum also begins earlier for the
 * large values of segments, which are in a table of their own.
 */
export const retentionPostgres: string = `
create index heads_kept on run_heads (updated_at, run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted = 1 and session_seq is not null;
create index heads_paused on run_heads (session_key) where status = 'PAUSED' and session_seq is not null;
create index schedule_fires_ended on schedule_fires (completed_at, id) where is_open = 0 and status <> 'paused';
alter table segments set (toast.autovacuum_vacuum_scale_factor = 0.05);
`;
