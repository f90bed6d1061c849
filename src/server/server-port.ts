import type { ServerPort } from '../dialects/server-port.ts';
import { handOverAfterMs } from './clients/hand-over-time.ts';
import { findProfile, findShownProfile } from './clients/profiles.ts';
import { findShapeViolation } from './frames/frame-shape.ts';
import type { ServerCore } from './server-parts.ts';
import { hasTasks } from './tools/has-tasks.ts';

/** Creates the server's interface for its dialects. */
export function createServerPort(core: ServerCore): ServerPort {
  const { settings, clock, openEngine, openSeal, profiles, answers, resultPolicy, report } = core;
  return {
    settings,
    resultPolicy,
    clock,
    openEngine,
    openSeal,
    hasTasks: () => hasTasks(core.tools),
    findProfile: ({ client }) => findProfile(profiles(), client?.name),
    findShownProfile: (request) => findShownProfile(profiles(), request),
    handOverAfterMs: (call, turn) => handOverAfterMs(core, call, turn),
    followAnswer: (hold, answered) => answers.follow(hold, answered),
    parseJson(text) {
      if (findShapeViolation(text, settings.messageLimits) !== undefined) return undefined;
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    report,
  };
}
