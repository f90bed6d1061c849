/** Holdfast: tools as durable tasks. */
export type { Clock, SteadyReading } from './clock.ts';
export { type AesGcmCodec, type AesGcmCodecOptions, aesGcmCodec, type CodecKey } from './codec/aes-gcm-codec.ts';
export type { PayloadCodec } from './codec/codec.ts';
export type { Secrets } from './codec/sealer.ts';
export type { Dialect } from './dialects/dialect.ts';
export type { ResultMode, ResultOptions, StreamOption, StreamOptions } from './dialects/options.ts';
export type { Profile } from './dialects/server-port.ts';
export type { FormQuestion, TaskContext } from './engine/attempts/context.ts';
export type { AskOptions } from './engine/attempts/question-form.ts';
export type { ArtifactOptions } from './engine/attempts/store-artifact.ts';
export type {
  ProcessExit,
  SpawnOptions,
  SpawnTaskProcessOptions,
  TaskProcess,
} from './engine/attempts/task-processes.ts';
export type { Audit, AuditEntry, AuditOption } from './engine/audit.ts';
export type { AttendOptions, Engine } from './engine/engine.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export type { EngineTools, InferredTools, InputsOf, SubmitCall, ToolInputs } from './engine/engine-tools.ts';
export type { HeldTask, HoldOptions } from './engine/holds/held-task.ts';
export type { Submitted } from './engine/intake/created-task.ts';
export type { RerunChanges } from './engine/intake/rerun.ts';
export type { SubmitOptions } from './engine/intake/submit.ts';
export type { LimitOptions, PrincipalLimitOptions } from './engine/limit-options.ts';
export { createEngine } from './engine/load-engine.ts';
export type { DeliveryHandler } from './engine/recovery/courier.ts';
export type {
  StandardInput,
  StandardIssue,
  StandardOutput,
  StandardResult,
  StandardSchema,
} from './engine/schemas/standard-schema.ts';
export type { JsonObjectSchema, SchemaInput, SchemaOutput, ToolSchema } from './engine/schemas/tool-schema.ts';
export type { StoreView, ToolRuns, WorkerView } from './engine/store-view.ts';
export {
  type ActOptions,
  createTaskClient,
  LOCAL,
  OPERATOR,
  type Principal,
  type TaskClient,
  type TaskClientOptions,
  type TaskClientSettings,
  type WatchOptions,
} from './engine/task-client.ts';
export type { RetryOptions, Tool } from './engine/tool.ts';
export { isWorker } from './engine/workers/worker-process.ts';
export type { WorkersChange } from './engine/workers/workers-change.ts';
export { type ErrorTraits, isTaskError, TaskError, type TaskErrorCode, taskErrorCodes, toTaskError } from './errors.ts';
export type { Profiles } from './server/clients/profiles.ts';
export type { MessageLimits } from './server/frames/frame-shape.ts';
export type { Listening, ListenOptions } from './server/http/listen-options.ts';
export type { HttpOptions } from './server/http-options.ts';
export type { VerifiedIdentity, Verify } from './server/principal.ts';
export type {
  Relay,
  RelayAudience,
  RelayClient,
  RelayedNotification,
  RelayedRequest,
  RelayParams,
} from './server/relay.ts';
export { createServer, type HoldfastServer } from './server/server.ts';
export type { Implementation, ServerOptions } from './server/server-options.ts';
export type {
  AsyncToolOptions,
  CallToolResult,
  InlineResultOptions,
  PreparedCall,
  RunResult,
  ServerTaskContext,
  ServerTool,
  ToolAnnotations,
} from './server/tools/server-tool.ts';
export { type WithCodecOptions, withCodec } from './store/codec/with-codec.ts';
export type { Change, Changes, Store } from './store/contract.ts';
export type { ArtifactPiece, ArtifactPlace, Artifacts } from './store/contracts/artifact-contract.ts';
export type { Outbox, OutboxMessage } from './store/contracts/outbox-contract.ts';
export type { StoreSecrets } from './store/contracts/secret-contract.ts';
export type { SessionNote, SessionRef, SessionState, Sessions } from './store/contracts/session-contract.ts';
export type { Backlog, Lease, TaskFilter, TaskPage, TaskStore } from './store/contracts/task-contract.ts';
export type {
  Build,
  ProcessGroupRef,
  ProcessRef,
  WorkerInfo,
  WorkerRegistry,
} from './store/contracts/worker-contract.ts';
export { createMemoryStore, type MemoryStoreOptions } from './store/memory/memory-store.ts';
export { openSqliteStore, rekeySqliteStore } from './store/sqlite/load-store.ts';
export type { RekeyOptions, Rewritten } from './store/sqlite/rekey.ts';
export type { SqliteStoreOptions } from './store/sqlite/store-options.ts';
export type { StoreTime } from './store/store-clock.ts';
export type { Actor, ClientName } from './task/actor.ts';
export type { Artifact, ArtifactHead, ArtifactPart, ArtifactRange } from './task/artifact.ts';
export { type Running, toRemainingMs } from './task/estimate.ts';
export type { EventBody, EventGap, EventType, LogLevel, TaskEvent } from './task/event.ts';
export type { Json } from './task/json.ts';
export type { Jsonify } from './task/jsonify.ts';
export type { Outcome, OutcomeError, OutcomeKind } from './task/outcome.ts';
export { type Answer, isOpen, type Question, type QuestionRequest } from './task/question.ts';
export type { Delivery, Progress, Task, TraceContext } from './task/record.ts';
export { isTerminal, type Status, statuses } from './task/status.ts';
