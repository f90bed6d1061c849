/**
 * Calls of clients without tasks: held until the result is available, or handed over in words before the client times
 * out, with tools to go on waiting. Claims every call that the other dialects leave.
 */
import { RPC_CODES } from '../../rpc-codes.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { missingExtensionError } from '../shared/tasks-extension.ts';
import { findCompanion } from './companions/companion-names.ts';
import { callCompanion, listCompanions } from './companions/companion-tools.ts';
import { toShownPrefix } from './companions/shown-prefix.ts';
import { holdCall, resumeHeldCall } from './held-call.ts';
import { resumeStream } from './resume-stream.ts';
import { submitHeld } from './submit-held.ts';

export const inlineServer: ServerDialect = {
  name: 'inline',

  takes: () => 'default',

  answersAtOnce: true,

  /** A tool that is always a task is refused to clients without tasks, with the errors that the specifications name. */
  check({ tool, caller }) {
    if (tool.taskMode !== 'always') return;
    if (caller.era === 'modern') throw missingExtensionError();
    throw new RpcFailure(RPC_CODES.METHOD_NOT_FOUND, `Tool ${tool.name} can only be run as a task: send params.task`);
  },

  answer: async (call, port) => holdCall(port, call, await submitHeld(call, port)),

  answerOwn(call, port) {
    if (call.resumed) return resumeStream(port, call, call.resumed);
    const companion = findCompanion(call.name, port.settings.companionPrefix);
    return companion && callCompanion(port, call, companion);
  },

  async resume(call, port) {
    const held = await resumeHeldCall(port, call);
    return held && holdCall(port, call, held);
  },

  /** Companion tools, for clients whose calls may be handed over. */
  listOwnTools(caller, port) {
    if (!port.hasTasks() || caller.declaresTasks) return [];
    if (port.findShownProfile({ caller }).tasks2025 === true) return [];
    return listCompanions(toShownPrefix(port, caller));
  },
};
