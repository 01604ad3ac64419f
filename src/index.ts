/**
 * Public exports of the package `troupe`.
 *
 * @module troupe
 */
import "./node-version.ts";
import "./platform/in-process.ts";

export { type Agent, type AgentOptions, defineAgent } from "./define/agent.ts";
export type { ComponentOptions, Instructions, Model, ModelSettings } from "./define/component.ts";
export type { AsJson, ComponentTypes, ContentOf, Fields, ModelTypes, Typed } from "./define/component-types.ts";
export type { PartsOptions, RegisteredFunction } from "./define/configuration/parts.ts";
export type { A2aMessage, RunContext, SessionHandle, ToolContext } from "./define/context.ts";
export type {
  CompactFunction,
  ContextOptions,
  EarlierMessage,
  HistoryOptions,
  SummaryOptions,
} from "./define/context-options.ts";
export {
  type AgentFactory,
  agentFactory,
  type FactoryContext,
  type FactoryOptions,
  type TeamFactory,
  teamFactory,
  type WorkflowFactory,
  workflowFactory,
} from "./define/factory.ts";
export {
  defineGuardrail,
  type GuardedText,
  type Guardrail,
  type GuardrailContext,
  type GuardrailOptions,
  type GuardrailPlace,
  type GuardrailRequest,
  type GuardrailVerdict,
} from "./define/guardrails/guardrail.ts";
export { type LengthLimitOptions, lengthLimits } from "./define/guardrails/length-limits.ts";
export { type ModerationOptions, moderation } from "./define/guardrails/moderation.ts";
export { outputSchema } from "./define/guardrails/output-schema.ts";
export type { PiiKind } from "./define/guardrails/pii.ts";
export { type PiiRedactionOptions, piiRedaction } from "./define/guardrails/pii-redaction.ts";
export { type PromptInjectionOptions, promptInjection } from "./define/guardrails/prompt-injection.ts";
export { type TopicOptions, topics } from "./define/guardrails/topics.ts";
export type {
  ApprovalRequest,
  HookContext,
  HookedCall,
  HookedResult,
  HookPoint,
  Hooks,
  ModelAnswer,
  ModelRequest,
  PromptChange,
  PromptMessage,
  Refusal,
  RunEnd,
  RunStart,
} from "./define/hooks.ts";
export {
  type Chunker,
  type Chunking,
  type ContentSource,
  defineKnowledge,
  type Embedder,
  type Knowledge,
  type KnowledgeOptions,
  type KnowledgeUrls,
  type Reranker,
  type SourceContent,
  SourceFault,
  type SourceFile,
  type SourceFiles,
  type SourceQuery,
} from "./define/knowledge.ts";
export type { KnowledgeDocument, KnowledgeDocuments } from "./define/knowledge-documents.ts";
export type { KnowledgeFilter, KnowledgeUse } from "./define/knowledge-use.ts";
export type { LearningOptions, SharedLearning } from "./define/learning.ts";
export {
  type McpCaller,
  type McpCredentials,
  type McpHttpOptions,
  type McpProcessOptions,
  type McpServer,
  type McpServerOptions,
  type McpToolNames,
  mcpServer,
  type ToolSource,
} from "./define/mcp-server.ts";
export type { LimitedUser, PlatformLimits } from "./define/options/limits.ts";
export type { ScheduleDefinition } from "./define/options/schedules.ts";
export {
  type Component,
  definePlatform,
  type Hosted,
  type Platform,
  type PlatformOptions,
  type PlatformTypes,
} from "./define/platform.ts";
export { RunRejected } from "./define/rejection.ts";
export {
  type A2aRemoteOptions,
  type RemoteAgent,
  type RemoteCredential,
  type RemoteOptions,
  type RemoteTeam,
  type RemoteWorkflow,
  remoteAgent,
  remoteTeam,
  remoteWorkflow,
} from "./define/remote.ts";
export type { Scorer, ScorerCase, ScorerResult, Scorers } from "./define/scorer.ts";
export { defineTeam, type Team, type TeamMode, type TeamOptions } from "./define/team.ts";
export { defineTool, type Tool, type ToolInput, type ToolOptions } from "./define/tool.ts";
export type {
  NearVector,
  VectorMetadata,
  VectorPoint,
  VectorSearch,
  VectorSelection,
  VectorStore,
} from "./define/vector-store.ts";
export type { ChainTypes, StepChain } from "./define/workflow/step-chain.ts";
export {
  condition,
  loop,
  parallel,
  router,
  type StepReturn,
  step,
  stepOutput,
  steps,
} from "./define/workflow/steps.ts";
export type {
  AnyStepTypes,
  CommonStepOptions,
  LeafOptions,
  OnReject,
  StepContext,
  StepFunction,
  StepList,
  StepNode,
  StepOptions,
  StepTypes,
  UserField,
  Workflow,
  WorkflowOptions,
} from "./define/workflow/types.ts";
export { defineWorkflow } from "./define/workflow/workflow.ts";
export { ConfigurationError, type ErrorName, TroupeError, toClientError } from "./errors.ts";
export { type FolderOptions, folder } from "./knowledge/folder.ts";
export { lexicalEmbedder } from "./knowledge/lexical-embedder.ts";
export { type AzureBlobSourceOptions, azureBlobSource } from "./knowledge/sources/azure-blob.ts";
export type { SourceOptions } from "./knowledge/sources/checked-source.ts";
export { type GcsSourceOptions, gcsSource } from "./knowledge/sources/gcs.ts";
export { type GithubSourceOptions, githubSource } from "./knowledge/sources/github.ts";
export { type S3Credentials, type S3SourceOptions, s3Source } from "./knowledge/sources/s3.ts";
export { type LanceDbOptions, lanceDbVectors } from "./knowledge/vectors/lancedb.ts";
export type { A2aOptions } from "./model/a2a.ts";
export type { AgUiOptions } from "./model/ag-ui.ts";
export type {
  Algorithm,
  AuthorizationOptions,
  ClaimNames,
  IssuerOptions,
  JsonWebKey,
  ScopeMappings,
  TokenSource,
} from "./model/authorization.ts";
export type { ConnectionProvider, ConnectionsOptions, OAuthNeed } from "./model/connections.ts";
export type { ConsoleOidc, ConsoleOptions } from "./model/console.ts";
export type { EncryptionOptions, KeyProvider } from "./model/encryption.ts";
export type { McpOptions } from "./model/mcp.ts";
export type { MetadataFilter } from "./model/metadata-filters.ts";
export type { Principal, PrincipalKind, RunClaims } from "./model/principal.ts";
export type { Retention, RetentionAges, RetentionDuration } from "./model/retention.ts";
export type { ArtifactOptions } from "./model/run/artifact.ts";
export type { ComponentKind, SessionPolicy } from "./model/run/run.ts";
export type { Log } from "./model/runtime.ts";
export type { CatchUp, Overlap, ScheduleMethod, SchedulePlan } from "./model/schedule/schedule.ts";
export { defaultSettings, type Settings } from "./model/settings.ts";
export type { Limits, RunLimits, UsageLimits } from "./model/usage/limits.ts";
export type {
  ModelPrice,
  PricedRequest,
  PriceFunction,
  PriceList,
  Prices,
  RequestTokens,
} from "./model/usage/prices.ts";
export type { WebhookAddresses, WebhookEvent, WebhookOptions } from "./model/webhook.ts";
export type { ServerOptions } from "./platform/options.ts";
export {
  createServer,
  type InjectRequest,
  type InjectResponse,
  type Server,
} from "./platform/server.ts";
