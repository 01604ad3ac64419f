/** Every screen, in the order of the navigation. */
import { accessRoute } from "./access/route.ts";
import { approvalsRoute } from "./approvals/route.ts";
import { chatRoute, chatsRoute } from "./chat/route.ts";
import { componentRoute, componentsRoute } from "./components/route.ts";
import { datasetRoute, datasetsRoute } from "./datasets/route.ts";
import { evalRoute, evalsRoute, newEvalRoute } from "./evals/route.ts";
import { experimentRoute, experimentsRoute, newExperimentRoute } from "./experiments/route.ts";
import { homeRoute } from "./home/route.ts";
import { documentRoute, knowledgeBaseRoute, knowledgeRoute } from "./knowledge/route.ts";
import { learningsRoute } from "./learnings/route.ts";
import { memoriesRoute } from "./memories/route.ts";
import { runRoute } from "./run/route.ts";
import { runsRoute } from "./runs/route.ts";
import { scheduleRoute, schedulesRoute } from "./schedules/route.ts";
import { sessionRoute, sessionsRoute } from "./sessions/route.ts";
import { traceRoute, tracesRoute } from "./traces/route.ts";
import { usageRoute } from "./usage/route.ts";
import { webhooksRoute } from "./webhooks/route.ts";
import { workflowRoute, workflowsRoute } from "./workflows/route.ts";

export const screens = [
  homeRoute,
  chatsRoute,
  chatRoute,
  runsRoute,
  runRoute,
  sessionsRoute,
  sessionRoute,
  knowledgeRoute,
  knowledgeBaseRoute,
  documentRoute,
  memoriesRoute,
  learningsRoute,
  approvalsRoute,
  schedulesRoute,
  scheduleRoute,
  componentsRoute,
  componentRoute,
  experimentsRoute,
  newExperimentRoute,
  experimentRoute,
  datasetsRoute,
  datasetRoute,
  evalsRoute,
  newEvalRoute,
  evalRoute,
  workflowsRoute,
  workflowRoute,
  tracesRoute,
  traceRoute,
  usageRoute,
  webhooksRoute,
  accessRoute,
] as const;
