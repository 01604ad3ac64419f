/** Users of push targets' runs, so that one user's notifications do not delay another user's. '' is no user. */
export const pushUsersSqlite: string = `
alter table push_targets add column user_id text not null default '';
update push_targets set user_id = coalesce((select h.user_id from run_heads h where h.run_key = push_targets.run_key), '');
create index push_targets_user on push_targets (user_id, due_at) where due_at is not null and owner is null;
`;
