/** The hooks on a server: they render without requests. And their types for a known platform, which `npm run typecheck` checks. */
import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { createClient } from "troupe/client";
import { createHooks, TroupeProvider, useApprovals, useRun, useSession } from "troupe/react";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineAgent, definePlatform, defineTeam, defineWorkflow } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const model = scriptedModel(["ok"]);
const guide = defineAgent({ id: "guide", model, output: z.object({ city: z.string() }) });
const desk = defineTeam({ id: "desk", model, members: [guide] });
const trip = defineWorkflow({
  id: "trip",
  input: z.object({ city: z.string() }),
  steps: (chain) => chain.step({ name: "plan", run: ({ input }) => ({ stops: [input.city] }) }),
});
const platform = definePlatform({ id: "travel", agents: [guide], teams: [desk], workflows: [trip] });

const noRequests = createClient<typeof platform>({
  url: "http://127.0.0.1:9",
  fetch: () => {
    throw new Error("Rendering must not request anything.");
  },
});

function render(component: () => ReactElement): string {
  return renderToString(createElement(TroupeProvider, { client: noRequests }, createElement(component)));
}

test("rendering on a server requests nothing and shows the initial state", () => {
  const text = render(() => {
    const run = useRun({ agent: "guide" }, { runId: "some-run" });
    const session = useSession({ team: "desk" }, "some-session");
    const { approvals, isLoading } = useApprovals();
    const shown = {
      run: run.status,
      text: run.text,
      runs: session.runs,
      isLoading: session.isLoading,
      approvals,
      loading: isLoading,
    };
    return createElement("p", null, JSON.stringify(shown));
  });
  const json = text.replaceAll("&quot;", '"').replaceAll(/<\/?p>/g, "");
  expect(JSON.parse(json)).toEqual({ run: "idle", text: "", runs: [], isLoading: true, approvals: [], loading: true });
});

test("a hook without a client names the provider", () => {
  const component = (): ReactElement => createElement("p", null, useRun({ agent: "guide" }).text);
  expect(() => renderToString(createElement(component))).toThrow("render a TroupeProvider above");
});

test("a name that is no component is rejected", () => {
  const component = (): ReactElement => {
    // @ts-expect-error: a component has a kind.
    return createElement("p", null, useRun({ tool: "guide" }, { client: createClient({ url: "" }) }).text);
  };
  expect(() => renderToString(createElement(component))).toThrow("Name a component");
});

test("the platform's type gives ids, inputs and contents, through a client or through createHooks", () => {
  const hooks = createHooks<typeof platform>();
  const text = render(() => {
    const run = hooks.useRun({ agent: "guide" });
    expectTypeOf(run.content).toEqualTypeOf<{ city: string } | undefined>();
    expectTypeOf(run.start).parameter(0).toEqualTypeOf<string>();
    const planned = hooks.useRun({ workflow: "trip" });
    expectTypeOf(planned.content).toEqualTypeOf<{ stops: string[] } | undefined>();
    expectTypeOf(planned.start).parameter(0).toExtend<string | { city: string }>();
    expectTypeOf(planned.continue).parameter(0).toExtend<readonly { step_name?: string }[]>();
    const session = hooks.useSession({ team: "desk" }, "s");
    expectTypeOf(session.run.content).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: the platform has no such agent.
    hooks.useRun({ agent: "gide" });
    const byClient = useRun({ agent: "guide" }, { client: noRequests });
    expectTypeOf(byClient.content).toEqualTypeOf<{ city: string } | undefined>();
    // @ts-expect-error: the platform has no such team.
    useRun({ team: "guide" }, { client: noRequests });
    expectTypeOf(useRun({ agent: "any" }).content).toEqualTypeOf<unknown>();
    return createElement("p", null, run.status);
  });
  expect(text).toContain("idle");
});
