/**
 * The entry point for store authors: the contract, and the decisions that all stores share.
 *
 * `describeStore` from `holdfast/testing` checks whether a store fulfils the contract.
 */

export { type Clock, type SteadyReading, systemClock } from '../clock.ts';
export type { Redaction } from '../codec/redaction.ts';
export { refuseUnknownFields } from '../invalid-field.ts';
export type { Actor, ClientName } from '../task/actor.ts';
export { LEARNED_RUNS } from '../task/estimate.ts';
export {
  type AttemptBody,
  type EventBody,
  type EventType,
  type HighRateBody,
  isHighRate,
  KEPT_HIGH_RATE_EVENTS,
  type LogLevel,
  type ProcessBody,
  type RequeueReason,
  type TaskEvent,
} from '../task/event.ts';
export { type Json, toFingerprint } from '../task/json.ts';
export type { Outcome, OutcomeError, OutcomeKind, SettledOutcome } from '../task/outcome.ts';
export { type Answer, isOpen, type Question, type QuestionRequest } from '../task/question.ts';
export type { Delivery, NewTask, Progress, Task, TraceContext } from '../task/record.ts';
export { isTerminal, type Status } from '../task/status.ts';
export { compareBytes } from './compare-bytes.ts';
export type { Change, Changes, Heartbeat, HeartbeatSource, Store } from './contract.ts';
export type { ArtifactPiece, ArtifactPlace, Artifacts } from './contracts/artifact-contract.ts';
export type { Deadlines } from './contracts/deadline-contract.ts';
export type { Hold, HoldRelease, Holds, NewHold } from './contracts/hold-contract.ts';
export type { Outbox, OutboxMessage, OutboxTake, WaitingMessage } from './contracts/outbox-contract.ts';
export {
  type Adopted,
  type Adoption,
  FORGOTTEN_AFTER_MS,
  type NewServing,
  type ProgramInfo,
  type Programs,
  type ServingInfo,
} from './contracts/program-contract.ts';
export type { StoreSecrets } from './contracts/secret-contract.ts';
export type { SessionNote, SessionRef, SessionState, Sessions } from './contracts/session-contract.ts';
export type {
  AnswerResult,
  AttemptWrite,
  Backlog,
  Claimed,
  ClaimRequest,
  CreateOptions,
  CreateResult,
  DeadWorker,
  FinishedStep,
  Lease,
  Recovered,
  Release,
  Rerun,
  Settlement,
  SettleTarget,
  Share,
  SlotWish,
  SuspectLimit,
  SweepRequest,
  Swept,
  TaskFilter,
  TaskPage,
  TaskRef,
  TaskStore,
} from './contracts/task-contract.ts';
export {
  type Build,
  type NewWorker,
  ORPHAN_KEEP_MS,
  type ProcessGroupRef,
  type ProcessRef,
  type ReserveResult,
  type Silence,
  type SilentLook,
  type WorkerInfo,
  type WorkerKind,
  type WorkerRegistry,
  type WorkerState,
} from './contracts/worker-contract.ts';
export { parseCursor, toCursor } from './cursor.ts';
export {
  type AnswerDecision,
  type CreateDecision,
  canSettle,
  countAtWork,
  decideAnswer,
  decideClaim,
  decideCreate,
  decideEnd,
  decideRecovery,
  decideRelease,
  holdsLease,
  isAtWorkStill,
  isLate,
  isSameTakeover,
  type LeaseDecision,
  type Lost,
  type Namesake,
  type RecoveryDecision,
  type Settled,
  toFirstEvents,
  toLateOutcome,
  toProgress,
  toStartBy,
  toWriteEvents,
  type Unleased,
} from './decide.ts';
export {
  canRetire,
  decideReserve,
  decideSilence,
  type ReserveDecision,
  type SilenceDecision,
  type SilenceRow,
  toSilence,
  toUntil,
} from './decide-worker.ts';
export { isOver, type KeptTime, StoreClock, type StoreTime } from './store-clock.ts';
export { type NamedTexts, toBodyText, toEventBytes, toStepBytes, toTaskBytes, toTextBytes } from './stored-bytes.ts';
export { type SureLimits, toSure } from './sweep-limits.ts';
export {
  type Contender,
  isAnybodyNext,
  isLimited,
  type Runnable,
  type RunnableQueue,
  type Turn,
  takeTurns,
} from './take-turns.ts';
export { toExpired } from './tombstone.ts';
