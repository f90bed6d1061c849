import { describe, expect, it } from 'vitest';
import { readAdvice } from '../../server/plain-client.ts';
import { openHosted, PATIENT_MS } from '../clients/open-hosted.ts';
import { runCodex } from './run-agent.ts';
import { answerAfter, insistOn, obeyAfter, playCalls } from './scripted-model.ts';

const BUILD = { server: 'ci', tool: 'build', args: { what: 'app' } };
const DEPLOY = { server: 'ci', tool: 'deploy', args: {} };

describe('the real Codex as a host', () => {
  it('[HOSTS-360] that gives up on a call and repeats it gets the result of its first, which ran once', async () => {
    const { entry, runs, builtAfter } = await openHosted();
    const model = builtAfter(2, insistOn(BUILD, 'app is built'));
    const { results, strangers } = await runCodex({ servers: { ci: entry }, model, giveUpMs: 4000 });
    expect(results[0]).toContain('timed out awaiting tools/call');
    expect(results.at(-1)).toContain('app is built');
    expect(runs()).toEqual(['build app']);
    expect(strangers).toEqual([]);
  });

  it('[HOSTS-361] is handed over before it gives up, and its model gets the result by waiting as it is told', async () => {
    const { entry, runs, builtAfter } = await openHosted({ profiles: { codex: { giveUpMs: 8000 } } });
    const model = builtAfter(2, obeyAfter(BUILD));
    const { results } = await runCodex({ servers: { ci: entry }, model, giveUpMs: PATIENT_MS });
    for (const text of results.slice(0, 2)) expect(readAdvice(text).name).toMatch(/task_wait$/);
    expect(results.at(-1)).toContain('app is built');
    expect(runs()).toEqual(['build app']);
  });

  it('[HOSTS-362] that declines a question by itself has it put to its model in words, and the answer counts', async () => {
    const { entry, runs } = await openHosted();
    const model = answerAfter(DEPLOY, { sure: true });
    const { results } = await runCodex({ servers: { ci: entry }, model, giveUpMs: PATIENT_MS });
    expect(results).toEqual([expect.stringContaining('Deploy on a Friday?'), expect.stringContaining('deployed')]);
    expect(runs()).toEqual(['deploy']);
  });

  it('[HOSTS-363] with two entries of one program runs each tool in the environment of its own entry', async () => {
    const { entry, runs } = await openHosted();
    const staging = { ...entry, env: { TARGET: 'staging' } };
    const production = { ...entry, env: { TARGET: 'production' } };
    const whoami = (server: string) => ({ server, tool: 'whoami', args: {} });
    const model = playCalls(whoami('staging'), whoami('production'), whoami('staging'));
    const { results } = await runCodex({ servers: { staging, production }, model, giveUpMs: PATIENT_MS });
    const targets = ['staging', 'production', 'staging'];
    expect(results).toEqual(targets.map((target) => expect.stringContaining(`works on ${target}`)));
    expect(runs()).toEqual(targets.map((target) => `whoami ${target}`));
  });
});
