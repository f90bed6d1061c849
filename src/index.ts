/** Holdfast: tools as durable tasks. */
export type { Clock, SteadyReading } from './clock.ts';
export { type AesGcmCodec, type AesGcmCodecOptions, aesGcmCodec, type CodecKey } from './codec/aes-gcm-codec.ts';
export type { PayloadCodec } from './codec/codec.ts';
export type { Dialect } from './dialects/dialect.ts';
export type { ResultOptions, StreamOption, StreamOptions } from './dialects/options.ts';
export type {
  Claim,
  FollowedConnection,
  Follower,
  MethodRequest,
  SendRead,
  ServedMethod,
  ServedSubscriptions,
  ServerDialect,
  ShownTool,
  Subscription,
  SubscriptionRequest,
  ToolListing,
} from './dialects/server-dialect.ts';
export type {
  Caller,
  CheckedCall,
  ClientConnection,
  IncomingCall,
  Profile,
  RequestChannel,
  ServerPort,
  Submission,
  SubmissionAddition,
  ToolCall,
  ToolView,
  Written,
} from './dialects/server-port.ts';
export type { FormQuestion, TaskContext } from './engine/attempts/context.ts';
export type { AskOptions } from './engine/attempts/question-form.ts';
export type { SpawnTaskProcessOptions, TaskProcess } from './engine/attempts/task-processes.ts';
export type { AuditEntry, AuditOption } from './engine/audit.ts';
export type { Engine } from './engine/engine.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export type { LimitOptions, PrincipalLimitOptions } from './engine/limit-options.ts';
export { createEngine } from './engine/load-engine.ts';
export type { DeliveryHandler } from './engine/recovery/courier.ts';
export type { SubmitOptions, Submitted } from './engine/submit.ts';
export {
  type ActOptions,
  createTaskClient,
  LOCAL,
  OPERATOR,
  type Principal,
  type TaskClient,
  type TaskClientOptions,
  type WatchOptions,
} from './engine/task-client.ts';
export type { RetryOptions, Tool } from './engine/tool.ts';
export { isWorker } from './engine/workers/worker-process.ts';
export type { WorkersChange } from './engine/workers/workers-change.ts';
export { isTaskError, TaskError, type TaskErrorCode, taskErrorCodes, toTaskError } from './errors.ts';
export type { MessageLimits } from './server/frames/frame-shape.ts';
export type { HttpOptions } from './server/http/http-options.ts';
export type { Listening, ListenOptions } from './server/http/listen-options.ts';
export type { VerifiedIdentity, Verify } from './server/principal.ts';
export { createServer, type HoldfastServer } from './server/server.ts';
export type { ServerOptions } from './server/server-options.ts';
export type {
  AsyncToolOptions,
  PreparedCall,
  ServerTaskContext,
  ServerTool,
  ToolSchema,
} from './server/tools/server-tool.ts';
export { type WithCodecOptions, withCodec } from './store/codec/with-codec.ts';
export type { Change, Changes, Store } from './store/contract.ts';
export { createMemoryStore } from './store/memory/memory-store.ts';
export type { Outbox, OutboxMessage } from './store/outbox-contract.ts';
export type { SessionNote, SessionRef, SessionState, Sessions } from './store/session-contract.ts';
export { openSqliteStore, rekeySqliteStore } from './store/sqlite/load-store.ts';
export type { RekeyOptions } from './store/sqlite/rekey.ts';
export type { SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type { StoreTime } from './store/store-clock.ts';
export type { Lease, TaskFilter, TaskPage, TaskStore } from './store/task-contract.ts';
export type { Build, ProcessRef, WorkerInfo, WorkerRegistry } from './store/worker-contract.ts';
export type { Actor, ClientName } from './task/actor.ts';
export { toRemainingMs } from './task/estimate.ts';
export type { EventBody, EventGap, EventType, LogLevel, TaskEvent } from './task/event.ts';
export type { Json } from './task/json.ts';
export type { Outcome, OutcomeError, OutcomeKind } from './task/outcome.ts';
export { type Answer, isOpen, type Question, type QuestionRequest } from './task/question.ts';
export type { Delivery, Progress, Task, TraceContext } from './task/record.ts';
export { isTerminal, type Status, statuses } from './task/status.ts';
