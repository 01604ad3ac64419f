/** On SQLite: accounts of users at other services, and the flows that connect them. */
export const connectionsSqlite: string = `
create table connections (
  user_id text not null,
  provider text not null,
  tokens text not null,
  scopes text not null,
  expires_at integer,
  version integer not null,
  refreshing_until integer not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (user_id, provider)
) strict;
create table connection_flows (
  digest text not null primary key,
  provider text not null,
  user_id text not null,
  flow text not null,
  expires_at integer not null
) strict;
create index connection_flows_users on connection_flows (user_id);
create index connection_flows_expired on connection_flows (expires_at);
`;
