/** On SQLite: the runs that a session's summary contains, the component that made it, and its version for compare-and-set. The text is in `summary`. */
export const sessionSummariesSqlite: string = `
alter table sessions add column summary_seq integer;
alter table sessions add column summary_by text;
alter table sessions add column summary_version integer not null default 0;
`;
