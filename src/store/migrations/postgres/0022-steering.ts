/** On Postgres: the number of messages that callers put into a live run. The messages are marks of the run. */
export const steeringPostgres: string = `
alter table run_heads add column steered integer not null default 0;
`;
