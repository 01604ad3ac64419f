/** Every route of the HTTP interface. */
import type { Route } from "../transport/route.ts";
import { approvalRoutes } from "./approvals.ts";
import { componentVersionRoutes } from "./component-versions.ts";
import { agentRoutes } from "./components/agents.ts";
import { teamRoutes } from "./components/teams.ts";
import { workflowRoutes } from "./components/workflows.ts";
import { connectionRoutes } from "./connections.ts";
import { coreRoutes } from "./core.ts";
import { datasetRoutes } from "./datasets.ts";
import { definitionRoutes } from "./definitions.ts";
import { evalRoutes } from "./evals.ts";
import { experimentRoutes } from "./experiments.ts";
import { feedbackRoutes } from "./feedback.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { learningRoutes } from "./learnings.ts";
import { meRoutes } from "./me.ts";
import { memoryRoutes } from "./memories.ts";
import { metricsRoutes } from "./metrics.ts";
import { overviewRoutes } from "./overview.ts";
import { scheduleRoutes } from "./schedules.ts";
import { serviceAccountRoutes } from "./service-accounts.ts";
import { sessionRoutes } from "./sessions.ts";
import { traceRoutes } from "./traces.ts";
import { usageRoutes } from "./usage.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

/** `startedAt` is the time when the server was created, in milliseconds since the epoch. */
export function interfaceRoutes(startedAt: number): readonly Route[] {
  return [
    ...coreRoutes(startedAt),
    ...meRoutes,
    ...overviewRoutes,
    ...definitionRoutes,
    ...feedbackRoutes,
    ...agentRoutes,
    ...teamRoutes,
    ...workflowRoutes,
    ...sessionRoutes,
    ...serviceAccountRoutes,
    ...scheduleRoutes,
    ...approvalRoutes,
    ...traceRoutes,
    ...usageRoutes,
    ...metricsRoutes,
    ...userRoutes,
    ...webhookRoutes,
    ...connectionRoutes,
    ...memoryRoutes,
    ...knowledgeRoutes,
    ...learningRoutes,
    ...evalRoutes,
    ...datasetRoutes,
    ...componentVersionRoutes,
    ...experimentRoutes,
  ];
}
