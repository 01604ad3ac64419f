/** One eval: its result, what it was given, and the measures of its runs. */
import { Alert, Progress, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "../../components/components.module.css";
import { Id } from "../../components/copy.tsx";
import { DeleteButton } from "../../components/delete-button.tsx";
import { Fact, FactList } from "../../components/facts.tsx";
import { Json } from "../../components/json.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Section } from "../../components/section.tsx";
import { StatusBadge, Time } from "../../components/values.tsx";
import { useMay } from "../../session/me.ts";
import { Passed } from "./passed.tsx";
import { type Eval, evalQuery, useRemoveEval } from "./queries.ts";
import { nameOfType, resultOf } from "./result.ts";

export const Route = createLazyRoute("/evals/$eval")({ component: EvalPage });

function EvalPage(): ReactNode {
  const { eval: id } = Route.useParams();
  const { data: one, error, refetch } = useQuery(evalQuery(id));
  const may = useMay();
  const navigate = useNavigate();
  const { mutate: remove } = useRemoveEval(() => navigate({ to: "/evals", search: {} }));
  if (!one) return <NotLoaded title="Eval" error={error} onRetry={() => void refetch()} to="/evals" all="All evals" />;
  const { progress, status, eval_type: type } = one;
  const isLive = status === "PENDING" || status === "RUNNING";
  return (
    <Page
      title={one.name || `Eval: ${nameOfType(type)}`}
      actions={
        may("DELETE /eval-runs") && (
          <DeleteButton
            title="Delete this eval?"
            message="Its runs in progress are cancelled. Finished runs stay."
            onDelete={() => remove(one)}
          />
        )
      }
    >
      <FactList>
        <Fact name="Type">{nameOfType(type)}</Fact>
        <Fact name="Component">
          <Evaluated one={one} />
        </Fact>
        <Fact name="State">
          <StatusBadge status={status} />
        </Fact>
        <Fact name="Result">
          <Passed passed={one.passed} />
          {resultOf(one) ?? (one.passed === null ? "–" : "")}
        </Fact>
        <Fact name="Runs">
          {progress.done} of {progress.total}
        </Fact>
        {one.created_at && (
          <Fact name="Created">
            <Time value={one.created_at} format="local" />
          </Fact>
        )}
        <Fact name="Eval">
          <Id value={id} label="eval id" />
        </Fact>
      </FactList>
      {isLive && <Progress value={(100 * progress.done) / progress.total} aria-label="Progress of the eval" animated />}
      {one.error && (
        <Alert color="red" title={status === "CANCELLED" ? "The eval was cancelled" : "The eval failed"}>
          {one.error}
        </Alert>
      )}
      <Stack gap="lg">
        <Section title="Input">
          <Json value={one.eval_input ?? {}} label="input" />
        </Section>
        <Section title="Measures">
          <Json value={one.eval_data} label="measures" />
        </Section>
      </Stack>
    </Page>
  );
}

function Evaluated({ one }: { readonly one: Eval }): ReactNode {
  const { agent_id: agent, team_id: team, evaluated_component_name: name } = one;
  const id = agent ?? team;
  if (!id) return name ?? "–";
  const kind = agent ? "agent" : "team";
  return (
    <Link to="/components/$kind/$id" params={{ kind, id }} search={{}} className={classes.colouredLink}>
      {name ?? id}
    </Link>
  );
}
