import { describe, expect, it } from 'vitest';
import { readAdvice } from '../../server/plain-client.ts';
import { openHosted, PATIENT_MS } from '../clients/open-hosted.ts';
import { runOpencode } from './run-agent.ts';
import { answerAfter, insistOn, obeyAfter, playCalls } from './scripted-model.ts';

const BUILD = { server: 'ci', tool: 'build', args: { what: 'app' } };
const DEPLOY = { server: 'ci', tool: 'deploy', args: {} };

describe('the real opencode as a host', () => {
  it('[HOSTS-370] is kept waiting by progress beyond its time-out, and gets the result of one execution', async () => {
    const profiles = { opencode: { giveUpMs: 10_000, progressResets: true } };
    const { entry, runs } = await openHosted({ profiles, progressEveryMs: 1000 });
    const model = playCalls({ server: 'ci', tool: 'pack', args: { ms: 15_000 } });
    const { results } = await runOpencode({ servers: { ci: entry }, model, giveUpMs: 10_000 });
    expect(results).toEqual(['packed']);
    expect(runs()).toEqual(['pack']);
  });

  it('[HOSTS-371] is handed over before it gives up; its cancel after the answer ends nothing', async () => {
    const { entry, runs, builtAfter } = await openHosted({ profiles: { opencode: { giveUpMs: 8000 } } });
    const model = builtAfter(2, obeyAfter(BUILD));
    const { results } = await runOpencode({ servers: { ci: entry }, model, giveUpMs: PATIENT_MS });
    for (const text of results.slice(0, 2)) expect(readAdvice(text).name).toMatch(/task_wait$/);
    expect(results.at(-1)).toContain('app is built');
    expect(runs()).toEqual(['build app']);
  });

  it('[HOSTS-372] that gives up on a call and repeats it gets the result of its first, which ran once', async () => {
    const { entry, runs, builtAfter } = await openHosted({ progressEveryMs: 60_000 });
    const model = builtAfter(2, insistOn(BUILD, 'app is built'));
    const { results } = await runOpencode({ servers: { ci: entry }, model, giveUpMs: 6000 });
    expect(results[0]).toContain('timed out');
    expect(results.at(-1)).toContain('app is built');
    expect(runs()).toEqual(['build app']);
  });

  it('[HOSTS-373] has a question put to its model in words, and the answer counts', async () => {
    const { entry, runs } = await openHosted();
    const model = answerAfter(DEPLOY, { sure: true });
    const { results } = await runOpencode({ servers: { ci: entry }, model, giveUpMs: PATIENT_MS });
    expect(results).toEqual([expect.stringContaining('Deploy on a Friday?'), expect.stringContaining('deployed')]);
    expect(runs()).toEqual(['deploy']);
  });

  it('[HOSTS-374] with two entries of one program runs each tool in the environment of its own entry', async () => {
    const { entry, runs } = await openHosted();
    const staging = { ...entry, env: { TARGET: 'staging' } };
    const production = { ...entry, env: { TARGET: 'production' } };
    const whoami = (server: string) => ({ server, tool: 'whoami', args: {} });
    const model = playCalls(whoami('staging'), whoami('production'), whoami('staging'));
    const { results } = await runOpencode({ servers: { staging, production }, model, giveUpMs: PATIENT_MS });
    expect(results).toEqual(['works on staging', 'works on production', 'works on staging']);
    expect(runs()).toEqual(['whoami staging', 'whoami production', 'whoami staging']);
  });
});
