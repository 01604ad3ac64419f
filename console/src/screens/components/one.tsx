/** One component: what new runs use, its versions, their differences, and the editor. */
import { Alert, Button, Stack, Title } from "@mantine/core";
import { IconArrowBackUp, IconArrowsDiff, IconDownload, IconMessageCircle, IconPencil } from "@tabler/icons-react";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ComponentKind, isComponentKind } from "../../api/component-kinds.ts";
import { askToConfirm } from "../../components/confirm.tsx";
import { Id } from "../../components/copy.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { NotThere } from "../../components/not-there.tsx";
import { Page } from "../../components/page.tsx";
import { useMay } from "../../session/me.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { Comparison } from "./comparison.tsx";
import { Editor } from "./editor.tsx";
import { Current, placeOf } from "./page.tsx";
import {
  type InUse,
  type Shown,
  type Stored,
  unsetCurrent,
  useComponent,
  useComponentChange,
  useExport,
  useRemoveComponent,
} from "./queries.ts";
import type { ComponentSearch, Side } from "./search.ts";
import { Versions } from "./versions.tsx";

export const Route = createLazyRoute("/components/$kind/$id")({ component: ComponentPage });

function ComponentPage(): ReactNode {
  const { kind, id } = Route.useParams();
  if (!isComponentKind(kind)) return <NotFound />;
  return <One key={`${kind}/${id}`} kind={kind} id={id} />;
}

function One({ kind, id }: { readonly kind: ComponentKind; readonly id: string }): ReactNode {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  const { shown, isLoading, error, refetch, list } = useComponent(kind, id);
  const show = (change: ComponentSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: "from" in change });
  if (!shown) {
    if (isLoading || error)
      return (
        <NotLoaded
          title="Component"
          error={error}
          onRetry={() => void refetch()}
          to="/components"
          all="All components"
        />
      );
    return (
      <NotThere
        title="Component"
        message={`The ${kind} ${id} has no versions and no definition in code`}
        to="/components"
        screen="Components"
      >
        A factory or a component of another server has none. An id that several kinds share has the versions of one kind
        only.
      </NotThere>
    );
  }
  return (
    <Page
      title={shown.name}
      description={shown.description}
      actions={<Actions shown={shown} onEdit={(edit) => show({ edit })} />}
    >
      <Stack gap="xl">
        <Facts shown={shown} />
        {shown.stored?.error && (
          <Alert color="red" title={`This server cannot use version ${shown.stored.current_version}`}>
            {shown.stored.error}
          </Alert>
        )}
        <Stack gap="sm" component="section" aria-labelledby="versions">
          <Title order={2} size="h4" id="versions">
            Versions
          </Title>
          <Versions shown={shown} list={list} onShow={show} />
        </Stack>
        <Comparison shown={shown} search={search} onChange={show} />
      </Stack>
      {search.edit !== undefined && (
        <Editor
          key={search.edit}
          shown={shown}
          start={search.edit}
          onClose={() => show({ edit: undefined })}
          onSaved={(version) => show({ edit: undefined, from: currentSide(shown), to: version })}
        />
      )}
    </Page>
  );
}

/** What new runs use; undefined if the component does not exist for them. */
function currentSide({ stored, definition }: Shown): Side | undefined {
  return stored?.current_version ?? (definition ? "code" : undefined);
}

function Facts({ shown: { kind, id, definition, stored } }: { readonly shown: Shown }): ReactNode {
  const isInCode = definition !== undefined;
  return (
    <FactList>
      <Fact name="Kind">{kind}</Fact>
      <Fact name="Defined in">{placeOf(isInCode, stored !== undefined)}</Fact>
      <Fact name="New runs use">
        <Current version={stored?.current_version} isInCode={isInCode} />
      </Fact>
      {stored?.created_by && <Fact name="Created by">{stored.created_by}</Fact>}
      <Fact name="Id">
        <Id value={id} label="component id" />
      </Fact>
    </FactList>
  );
}

function Actions({
  shown,
  onEdit,
}: {
  readonly shown: Shown;
  readonly onEdit: (edit: Side | "new") => void;
}): ReactNode {
  const { kind, id, name, stored, definition } = shown;
  const may = useMay();
  const navigate = useNavigate();
  const { mutate: unset } = useComponentChange(unsetCurrent);
  const { mutate: remove } = useRemoveComponent(() =>
    definition
      ? navigate({ to: "/components/$kind/$id", params: { kind, id }, search: {} })
      : navigate({ to: "/components", search: {} }),
  );
  const askAgain = (result: string | InUse, confirm: string, onConfirm: () => void): void => {
    if (typeof result === "string") return;
    const message = `These components need the current version of ${name}: ${result.users}. Their own versions do not work without it: new runs use their definitions in code, or are rejected if code has none.`;
    askToConfirm({ title: `${name} is in use`, message, confirm, onConfirm });
  };
  const returnToCode = (of: Stored, force = false): void =>
    unset(
      { stored: of, force },
      { onSuccess: (result) => askAgain(result, "Use the code anyway", () => returnToCode(of, true)) },
    );
  const removeAll = (of: Stored, force = false): void =>
    remove(
      { stored: of, force },
      { onSuccess: (result) => askAgain(result, "Delete anyway", () => removeAll(of, true)) },
    );
  const current = currentSide(shown);
  const newest = shown.versions.find(({ version }) => version !== current)?.version;
  const download = useExport();
  const exported = stored?.current_version ?? shown.versions[0]?.version;
  const mayWrite = may("POST /components/{component_id}/configs", id) && (stored || may("POST /components"));
  return (
    <>
      {mayWrite && (
        <Button leftSection={<IconPencil size={14} aria-hidden />} onClick={() => onEdit(current ?? "new")}>
          New version
        </Button>
      )}
      {current !== undefined && may(`POST /${kind}s/{${kind}_id}/runs`, id) && (
        <Button
          component={Link}
          {...({ to: "/chat/$kind/$id", params: { kind, id }, search: {} } as object)}
          variant="default"
          leftSection={<IconMessageCircle size={14} aria-hidden />}
        >
          Chat
        </Button>
      )}
      {current !== undefined && may("POST /experiments") && may(`POST /${kind}s/{${kind}_id}/runs`, id) && (
        <Button
          component={Link}
          {...({ to: "/experiments/new", search: { kind, component: id, a: current, b: newest } } as object)}
          variant="default"
          leftSection={<IconArrowsDiff size={14} aria-hidden />}
        >
          Compare
        </Button>
      )}
      {definition && stored?.current_version != null && may("POST /components/{component_id}/unset-current", id) && (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          onClick={() =>
            askToConfirm({
              title: "Use the code?",
              message: `New runs of ${name} use the definition in code. Its versions stay, and runs that have begun keep theirs.`,
              confirm: "Use the code",
              onConfirm: () => returnToCode(stored),
            })
          }
        >
          Use the code
        </Button>
      )}
      {exported !== undefined && may("GET /components/{component_id}/export", id) && (
        <Button
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          loading={download.isPending}
          onClick={() => download.mutate({ id, version: exported })}
        >
          Export
        </Button>
      )}
      {stored && may("DELETE /components/{component_id}", id) && (
        <DeleteButton
          title={`Delete all versions of ${name}?`}
          message={
            definition
              ? "New runs use the definition in code. Runs that have begun keep their version."
              : `No new run can use ${name}. Runs that have begun keep their version.`
          }
          onDelete={() => removeAll(stored)}
        />
      )}
    </>
  );
}
