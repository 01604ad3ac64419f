/** On Postgres: counters of usage that several runs share. Many updates of few rows: pages keep space for new versions of their rows. */
export const usageCountersPostgres: string = `
create table usage_counters (
  period text collate "C" not null,
  scope text collate "C" not null,
  key text collate "C" not null,
  tokens bigint not null,
  nanos bigint not null,
  model_requests bigint not null,
  tool_calls bigint not null,
  primary key (period, scope, key)
) with (fillfactor = 50);
`;
