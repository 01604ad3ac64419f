/**
 * On Postgres: the stored bytes of compacted logs, which the bound of stored events adds up from the index alone, and an index that finds the
 * approvals that a user resolved. `log_bytes` is null for logs that were compacted before this migration, until a sweep measures them.
 */
export const userDataPostgres: string = `
alter table run_heads add column log_bytes bigint;
drop index heads_kept;
create index heads_kept on run_heads (updated_at, run_key) include (log_bytes, counted)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted = 1 and session_seq is not null;
create index approvals_resolver on approvals (resolved_by) where resolved_by is not null;
`;
