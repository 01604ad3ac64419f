/** Stores versions of components. */
import { sql } from "kysely";
import type {
  ComponentChanges,
  ComponentVersionStore,
  FoundVersion,
  ListedVersion,
  NewComponent,
  NewVersion,
  StoredComponent,
  StoredVersion,
  VersionChanges,
} from "../contract/component-versions.ts";
import type { Database } from "../database.ts";
import type { SealedColumn } from "../encryption/columns.ts";
import { clearText, sealText } from "../encryption/encryption.ts";
import type { ComponentsTable, ComponentVersionsTable } from "../rows/component-tables.ts";
import { fittingTexts } from "../rows/large-columns.ts";
import { first, run, type Transaction } from "../transaction.ts";

/** Columns of lists: all except large ones. */
const listedComponent = ["id", "kind", "name", "current_version", "created_by", "created_at", "updated_at"] as const;
const listedVersion = [
  ...(["component_id", "version", "label", "stage", "created_by", "created_at", "updated_at"] as const),
] as const;

/** Makes the store of component versions of a database. */
export function componentVersionStore(database: Database): ComponentVersionStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;

  const sealed = <T extends string | null>(column: SealedColumn, row: readonly (string | number)[], text: T): T =>
    sealText(encryption, column, row, text);

  const present = () => db.selectFrom("components").where("deleted_at", "is", null);

  const versionOf = (id: string, version: number) =>
    db.selectFrom("component_versions").selectAll().where("component_id", "=", id).where("version", "=", version);

  /** Every writer locks the component first. */
  function* lock(id: string): Transaction<ComponentsTable | undefined> {
    const row = yield* first(db.selectFrom("components").selectAll().where("id", "=", id).modifyEnd(locked));
    return row?.deleted_at === null ? row : undefined;
  }

  /** Call it in each transaction that changes what runs use, after its other statements: the row is shared by all components. */
  function* countRevision(): Transaction<void> {
    const insert = db.insertInto("component_revision").values({ id: 1, revision: 1 });
    yield* run(
      insert.onConflict((conflict) =>
        conflict.column("id").doUpdateSet({ revision: sql<number>`component_revision.revision + 1` }),
      ),
    );
  }

  function* readBack(id: string): Transaction<StoredComponent> {
    return toComponent((yield* first(db.selectFrom("components").selectAll().where("id", "=", id))) as ComponentsTable);
  }

  function* insertVersion(id: string, version: number, added: NewVersion): Transaction<StoredVersion> {
    const { label, stage, config, notes, createdBy, setsCurrent } = added;
    const values = {
      ...{ component_id: id, version, stage, sets_current: setsCurrent ? 1 : 0, created_by: createdBy },
      ...sealedTexts([id, version], { label, notes, config }),
      ...{ created_at: now, updated_at: null, deleted_at: null },
    };
    yield* run(db.insertInto("component_versions").values(values as never));
    const isCurrent = setsCurrent && stage === "published";
    const update = db.updateTable("components").where("id", "=", id);
    yield* run(update.set({ last_version: version, ...(isCurrent && { current_version: version, updated_at: now }) }));
    if (isCurrent) yield* countRevision();
    return toVersion((yield* first(versionOf(id, version))) as ComponentVersionsTable);
  }

  function sealedTexts(
    row: readonly (string | number)[],
    { label, notes, config }: Partial<Pick<StoredVersion, "label" | "notes" | "config">>,
  ): Partial<Pick<ComponentVersionsTable, "label" | "notes" | "config">> {
    return {
      ...(label !== undefined && { label: sealed("component_versions.label", row, toJson(label)) }),
      ...(notes !== undefined && { notes: sealed("component_versions.notes", row, toJson(notes)) }),
      ...(config !== undefined && { config: sealed("component_versions.config", row, JSON.stringify(config)) }),
    };
  }

  function* create(component: NewComponent, version: NewVersion | undefined): Transaction<StoredComponent | undefined> {
    const { id, kind, name, description, metadata, createdBy } = component;
    const values = {
      ...{ kind, name: clearText(name), current_version: null, created_by: createdBy },
      description: sealed("components.description", [id], toJson(description)),
      metadata: sealed("components.metadata", [id], toJson(metadata)),
      ...{ created_at: now, updated_at: null, deleted_at: null },
    };
    const insert = db.insertInto("components").values({ id, last_version: 0, ...values });
    let last = 0;
    if ((yield* run(insert.onConflict((conflict) => conflict.doNothing()))) === 0) {
      const query = db.selectFrom("components").selectAll().where("id", "=", id).modifyEnd(locked);
      const row = yield* first(query);
      if (row === undefined || row.deleted_at === null) return undefined;
      // The numbers go on: a run may still need a deleted version.
      last = row.last_version;
      yield* run(db.updateTable("components").set(values).where("id", "=", id));
    }
    if (version) yield* insertVersion(id, last + 1, version);
    // Every process executes runs of its drafts.
    yield* countRevision();
    return yield* readBack(id);
  }

  function* change(
    id: string,
    { name, description, metadata, currentVersion }: ComponentChanges,
  ): Transaction<StoredComponent | "gone" | "no-version" | "draft"> {
    if ((yield* lock(id)) === undefined) return "gone";
    if (typeof currentVersion === "number") {
      const version = yield* first(versionOf(id, currentVersion).where("deleted_at", "is", null));
      if (version === undefined) return "no-version";
      if (version.stage === "draft") return "draft";
    }
    const values = {
      ...(name !== undefined && { name: clearText(name) }),
      ...(description !== undefined && { description: sealed("components.description", [id], toJson(description)) }),
      ...(metadata !== undefined && { metadata: sealed("components.metadata", [id], JSON.stringify(metadata)) }),
      ...(currentVersion !== undefined && { current_version: currentVersion }),
    };
    yield* run(
      db
        .updateTable("components")
        .set({ ...values, updated_at: now })
        .where("id", "=", id),
    );
    yield* countRevision();
    return yield* readBack(id);
  }

  function* remove(id: string): Transaction<boolean> {
    if ((yield* lock(id)) === undefined) return false;
    const versions = db.updateTable("component_versions").where("component_id", "=", id);
    yield* run(versions.where("deleted_at", "is", null).set({ deleted_at: now }));
    yield* run(db.updateTable("components").set({ deleted_at: now, current_version: null }).where("id", "=", id));
    yield* countRevision();
    return true;
  }

  function* addVersion(id: string, version: NewVersion): Transaction<StoredVersion | undefined> {
    const component = yield* lock(id);
    return component && (yield* insertVersion(id, component.last_version + 1, version));
  }

  function* changeVersion(
    id: string,
    version: number,
    { stage, ...texts }: VersionChanges,
  ): Transaction<StoredVersion | "gone" | "published"> {
    if ((yield* lock(id)) === undefined) return "gone";
    const row = yield* first(versionOf(id, version).where("deleted_at", "is", null));
    if (row === undefined) return "gone";
    if (row.stage === "published") return "published";
    const values = {
      ...sealedTexts([id, version], texts as Partial<StoredVersion>),
      ...(stage !== undefined && { stage }),
    };
    const update = db.updateTable("component_versions").where("component_id", "=", id).where("version", "=", version);
    yield* run(update.set({ ...values, updated_at: now }));
    if (stage === "published" && row.sets_current === 1) {
      const current = { current_version: version, updated_at: now };
      yield* run(db.updateTable("components").set(current).where("id", "=", id));
      yield* countRevision();
    }
    return toVersion((yield* first(versionOf(id, version))) as ComponentVersionsTable);
  }

  function* removeVersion(id: string, version: number): Transaction<"removed" | "gone" | "current"> {
    const component = yield* lock(id);
    if (component === undefined) return "gone";
    if (component.current_version === version) return "current";
    const versions = db.updateTable("component_versions").where("component_id", "=", id);
    const one = versions.where("version", "=", version).where("deleted_at", "is", null);
    return (yield* run(one.set({ deleted_at: now }))) === 1 ? "removed" : "gone";
  }

  return {
    async revision() {
      const [row] = await database.read(
        db.selectFrom("component_revision").select("revision").where("id", "=", 1).compile(),
      );
      return row?.revision ?? 0;
    },

    async live() {
      // One statement, so that a component and its version are of one snapshot.
      const rows = await database.read(
        db
          .selectFrom("components as c")
          .leftJoin("component_versions as v", (join) =>
            join.onRef("v.component_id", "=", "c.id").onRef("v.version", "=", "c.current_version"),
          )
          .selectAll("c")
          .select(["v.component_id", "v.version", "v.label", "v.stage", "v.config", "v.notes"])
          .select(["v.created_by as versionBy", "v.created_at as versionAt", "v.updated_at as versionChangedAt"])
          .where("c.deleted_at", "is", null)
          .orderBy("c.id")
          .compile(),
      );
      return rows.map(({ component_id, version, label, stage, config, notes, versionBy, ...row }) => {
        const component = toComponent(row);
        if (component_id === null || version === null || stage === null || config === null)
          return { component, version: null };
        const times = { created_at: row.versionAt ?? 0, updated_at: row.versionChangedAt };
        const texts = { component_id, version, label, stage, config, notes, created_by: versionBy };
        return { component, version: toVersion({ ...texts, ...times }) };
      });
    },

    async list({ kind, limit, offset, maxBytes }) {
      const some = kind === undefined ? present() : present().where("kind", "=", kind);
      const size = sql<number>`coalesce(octet_length(description), 0) + coalesce(octet_length(metadata), 0)`.as(
        "bytes",
      );
      const page = some.select(listedComponent).select(["id as key", size]);
      const [rows, counted] = await Promise.all([
        database.read(page.orderBy("created_at").orderBy("id").limit(limit).offset(offset).compile()),
        database.read(some.select(db.fn.countAll().as("total")).compile()),
      ]);
      const texts = await fittingTexts(rows, maxBytes, (ids) =>
        database.read(
          db
            .selectFrom("components")
            .select(["id as key", "id", "description", "metadata"])
            .where("id", "in", [...ids])
            .compile(),
        ),
      );
      const components = rows.map(({ key, bytes: _, ...row }) => {
        const { description = null, metadata = null } = texts.get(key) ?? {};
        return toComponent({ ...row, description, metadata });
      });
      return { components, total: Number(counted[0]?.total ?? 0) };
    },

    async find(id) {
      const [row] = await database.read(present().selectAll().where("id", "=", id).compile());
      return row && toComponent(row);
    },

    create: (component, version) => database.write(() => create(component, version)),
    change: (id, changes) => database.write(() => change(id, changes)),
    remove: (id) => database.write(() => remove(id)),

    async listVersions(id, { limit, before, withConfigs, maxBytes }) {
      const all = db.selectFrom("component_versions").where("component_id", "=", id).where("deleted_at", "is", null);
      const some = before === undefined ? all : all.where("version", "<", before);
      const configSize = withConfigs ? sql`octet_length(config)` : sql`0`;
      const size = sql<number>`${configSize} + coalesce(octet_length(notes), 0)`.as("bytes");
      const newest = some.select(listedVersion).select(["version as key", size]);
      const rows = await database.read(newest.orderBy("version", "desc").limit(limit).compile());
      const texts = await fittingTexts(rows, maxBytes, (versions) =>
        database.read(
          all
            .select(["version as key", "component_id", "version", "notes"])
            .$if(withConfigs, (query) => query.select("config"))
            .where("version", "in", [...versions])
            .compile(),
        ),
      );
      return rows.map(({ key, bytes: _, ...row }): ListedVersion => {
        const { config, notes = null } = texts.get(key) ?? {};
        const version = toVersion({ ...row, notes, config: config ?? "{}" });
        return config === undefined ? { ...version, config: undefined } : version;
      });
    },

    async findVersion(id, version): Promise<FoundVersion | undefined> {
      const [row] = await database.read(versionOf(id, version).compile());
      return row && { ...toVersion(row), deletedAt: row.deleted_at };
    },

    async hasVersions(id) {
      const versions = db.selectFrom("component_versions").select("version").where("component_id", "=", id);
      return (await database.read(versions.limit(1).compile())).length > 0;
    },

    async newestVersion(id) {
      const all = db.selectFrom("component_versions").selectAll().where("component_id", "=", id);
      const newest = all.where("deleted_at", "is", null).orderBy("version", "desc").limit(1);
      const [row] = await database.read(newest.compile());
      return row && toVersion(row);
    },

    addVersion: (id, version) => database.write(() => addVersion(id, version)),
    changeVersion: (id, version, changes) => database.write(() => changeVersion(id, version, changes)),
    removeVersion: (id, version) => database.write(() => removeVersion(id, version)),
  };
}

function toComponent(row: Omit<ComponentsTable, "last_version" | "deleted_at">): StoredComponent {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    description: row.description === null ? null : (JSON.parse(row.description) as string),
    metadata: row.metadata === null ? null : toObject(row.metadata),
    currentVersion: row.current_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  };
}

function toVersion(row: Omit<ComponentVersionsTable, "sets_current" | "deleted_at">): StoredVersion {
  return {
    componentId: row.component_id,
    version: row.version,
    label: row.label === null ? null : (JSON.parse(row.label) as string),
    stage: row.stage,
    config: toObject(row.config),
    notes: row.notes === null ? null : (JSON.parse(row.notes) as string),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  };
}

/** JSON text: it never looks encrypted, and it has no character that Postgres rejects. */
function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function toObject(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
