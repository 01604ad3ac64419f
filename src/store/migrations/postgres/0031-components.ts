/**
 * On Postgres: agents, teams and workflows as versioned configurations. Deleted rows stay until no run needs them. `component_revision` has one row at
 * most; its number grows with each change of what runs use.
 */
export const componentsPostgres: string = `
create table components (
  id text collate "C" not null primary key,
  kind text collate "C" not null,
  name text collate "C" not null,
  description text collate "C",
  metadata text collate "C",
  current_version integer,
  last_version integer not null,
  created_by text collate "C",
  created_at bigint not null,
  updated_at bigint,
  deleted_at bigint
);
create index components_created on components (created_at, id);

create table component_versions (
  component_id text collate "C" not null,
  version integer not null,
  label text collate "C",
  stage text collate "C" not null,
  sets_current smallint not null,
  config text collate "C" not null,
  notes text collate "C",
  created_by text collate "C",
  created_at bigint not null,
  updated_at bigint,
  deleted_at bigint,
  primary key (component_id, version)
);
create index component_versions_deleted on component_versions (deleted_at) where deleted_at is not null;

create table component_revision (
  id integer not null primary key,
  revision bigint not null
);
`;
