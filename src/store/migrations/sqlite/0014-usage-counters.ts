/** On SQLite: counters of usage that several runs share. */
export const usageCountersSqlite: string = `
create table usage_counters (
  period text not null,
  scope text not null,
  key text not null,
  tokens integer not null,
  nanos integer not null,
  model_requests integer not null,
  tool_calls integer not null,
  primary key (period, scope, key)
) strict, without rowid;
`;
