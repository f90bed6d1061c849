/** The host side: calls that stay pending until they have an outcome. */
export type { Dialect } from '../dialects/dialect.ts';
export type {
  CallError,
  CallHandle,
  CallOutcome,
  CallUpdate,
  JsonObject,
  Notification,
  Reply,
} from '../dialects/host-port.ts';
export type { InputRequest } from '../dialects/shared/questions/mcp-input.ts';
export type { DialectFields, PluginSpec, StreamOption } from '../dialects/spec-fields.ts';
export type { ProcessRef } from '../process/process-ref.ts';
export type { Call } from './calls/call.ts';
export type { CallOptions } from './calls/call-options.ts';
export type { StoppedCall } from './calls/stopped-call.ts';
export { createHost, type Host, type ResumeOptions } from './host.ts';
export type { HostOptions, HostQuestion } from './host-options.ts';
export {
  type AskedQuestion,
  type CodedLedger,
  type LedgerCodecOptions,
  withLedgerCodec,
} from './ledger/coded-ledger.ts';
export type {
  CallAnswer,
  CallFilter,
  CallRecord,
  ChildNote,
  ChildNotes,
  Ledger,
  NewCall,
} from './ledger/contract.ts';
export { createMemoryLedger } from './ledger/memory-ledger.ts';
export { type RekeyLedgerOptions, rekeySqliteLedger } from './ledger/rekey-ledger.ts';
export { openSqliteLedger, type SqliteLedgerOptions } from './ledger/sqlite-ledger.ts';
export type { RequestOptions } from './request-options.ts';
export type { HostTool, HostToolAnnotations } from './servers/host-tool.ts';
export type { ServerInfo } from './servers/server-info.ts';
export type { EndedServer } from './transports/keeping-transport.ts';
export { patientFetch } from './transports/patient-fetch.ts';
export type { HttpSpec, ServerSpec, ServerTraits, StdioSpec, TransportSpec } from './transports/server-spec.ts';
