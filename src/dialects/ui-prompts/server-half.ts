/** Calls that are acknowledged at once and answered through the log of prompts. */
import type { ServerDialect } from '../server-dialect.ts';
import { findPromptConfig } from '../shared/prompt-config.ts';
import { findPromptDestination } from './place/prompt-destination.ts';
import { answerByPrompt, answerDirectlyByPrompt, PROMPTS } from './prompt-call.ts';
import { readTaskId, toPromptDelivery } from './server.ts';

export const promptServer: ServerDialect = {
  name: PROMPTS,
  // Nobody answers a question in place of an acknowledgement: the work asks.
  asksUpfront: false,

  takes(call, { settings }) {
    // Most servers have no such tool: their calls pay two looks.
    if (!call.tool.prompts && call.meta.asyncTask === undefined) return undefined;
    return findPromptConfig(call, settings) ? 'asked' : undefined;
  },

  /** Without an id nobody would find the outcome. */
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
