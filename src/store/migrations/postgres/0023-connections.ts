/** On Postgres: accounts of users at other services, and the flows that connect them. */
export const connectionsPostgres: string = `
create table connections (
  user_id text collate "C" not null,
  provider text collate "C" not null,
  tokens text collate "C" not null,
  scopes text collate "C" not null,
  expires_at bigint,
  version integer not null,
  refreshing_until bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (user_id, provider)
);
create table connection_flows (
  digest text collate "C" not null primary key,
  provider text collate "C" not null,
  user_id text collate "C" not null,
  flow text collate "C" not null,
  expires_at bigint not null
);
create index connection_flows_users on connection_flows (user_id);
create index connection_flows_expired on connection_flows (expires_at);
`;
