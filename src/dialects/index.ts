/** For authors of dialects: the two halves of a dialect, and the ports that each half works with. */
export type { Dialect } from './dialect.ts';
export type {
  DialectAnswer,
  DressedCall,
  EarlyListener,
  EarlyListenerOptions,
  HostDialect,
  HostPlace,
  NewDialectCall,
  OutgoingCall,
  SpecField,
  SpecFields,
} from './host-dialect.ts';
export type {
  CallError,
  CallHandle,
  CallOutcome,
  CallUpdate,
  HostPort,
  JsonObject,
  Notification,
  Reply,
  ServerFacts,
  ServerTask,
} from './host-port.ts';
export { isLineFailure } from './host-port.ts';
export type { CompanionPrefix } from './inline/companions/companion-prefix.ts';
export type {
  Claim,
  FollowedConnection,
  Follower,
  MethodRequest,
  ResourceListing,
  SendRead,
  ServedMethod,
  ServedResources,
  ServedSubscriptions,
  ServerDialect,
  ShownTool,
  Subscription,
  SubscriptionRequest,
  ToolListing,
} from './server-dialect.ts';
export type {
  Answered,
  AnswerFate,
  Caller,
  CheckedCall,
  ClientConnection,
  DialectSettings,
  Era,
  EventPoint,
  Gone,
  HeadlessMark,
  IncomingCall,
  Joining,
  Profile,
  RequestChannel,
  RpcResult,
  Seal,
  ServerPort,
  StoredCall,
  Submission,
  SubmissionAddition,
  Submitted,
  ToldPoint,
  ToolCall,
  ToolView,
  Written,
} from './server-port.ts';
export type { AsyncTaskConfig, AsyncToolConfig } from './shared/async-task.ts';
export type { ClientFinder } from './shared/client-name.ts';
export { invalidParams, RpcFailure } from './shared/outcomes/rpc-failure.ts';
export type { AskedQuestions, Asking } from './shared/questions/asked-questions.ts';
export type { InputCapabilities, InputRequest } from './shared/questions/mcp-input.ts';
export type { Params, QuestionChannel } from './shared/questions/question-request.ts';
export type { StreamSettings } from './stream/stream-option.ts';
export type { ResultPolicy } from './tasks-2025/result-mode.ts';
