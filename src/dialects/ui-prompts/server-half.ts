/** Calls that are acknowledged at once and answered through the prompt log. */
import type { ServerDialect } from '../server-dialect.ts';
import { findPromptConfig } from '../shared/prompt-config.ts';
import { findPromptDestination } from './place/prompt-destination.ts';
import { answerByPrompt, answerDirectlyByPrompt, PROMPTS } from './prompt-call.ts';
import { readTaskId, toPromptDelivery } from './server.ts';

export const promptServer: ServerDialect = {
  name: PROMPTS,
  // A question cannot be the answer here, where the host expects an acknowledgement: the running tool asks.
  asksUpfront: false,

  takes(call, { settings }) {
    // Most servers have no tool that uses the log: their calls cost only these two checks.
    if (!call.tool.prompts && call.meta.asyncTask === undefined) return undefined;
    return findPromptConfig(call, settings) ? 'asked' : undefined;
  },

  /** Rejects a call without an id, whose outcome could not be found. */
  check(call, { settings }) {
    const config = findPromptConfig(call, settings);
    if (config) readTaskId(call.meta, config.taskIdKey);
  },

  answer: answerByPrompt,
  answerDirectly: answerDirectlyByPrompt,

  addToSubmission(call, { dialect }, port) {
    if (dialect === PROMPTS || !call.tool.prompts?.promptAlways) return undefined;
    return findPromptDestination(port, call, call.tool.prompts).then((place) => ({
      deliver: [toPromptDelivery(place)],
    }));
  },
};
