/** Calls that are acknowledged at once and answered through the log of prompts. */
import type { ServerDialect } from '../server-dialect.ts';
import { findPromptConfig } from '../shared/prompt-config.ts';
import { findPromptPlace } from './place/prompt-place.ts';
import { answerByPrompt, answerDirectlyByPrompt, PROMPTS } from './prompt-call.ts';
import { readTaskId, toPromptDelivery } from './server.ts';

export const promptServer: ServerDialect = {
  name: PROMPTS,
  // Nobody answers a question in place of an acknowledgement: the work asks.
  asksUpfront: false,

  takes: (call, { settings }) => (findPromptConfig(call, settings) ? 'asked' : undefined),

  /** Without an id nobody would find the outcome. */
  check(call, { settings }) {
    const config = findPromptConfig(call, settings);
    if (config) readTaskId(call.meta, config.taskIdKey);
  },

  answer: answerByPrompt,
  answerDirectly: answerDirectlyByPrompt,

  async addToSubmission(call, { dialect }, port) {
    if (dialect === PROMPTS) return undefined;
    const place = await findPromptPlace(port, call);
    return place && { deliver: [toPromptDelivery(place)] };
  },
};
