import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseWords } from '../../src/cli/command-line/parse.ts';
import { chaos } from '../../src/cli/commands/campaigns/campaign-commands.ts';
import { parseChaos } from '../../src/cli/commands/campaigns/run-chaos.ts';
import { runCli } from './run-cli.ts';

const parse = (line: string) => {
  const request = parseWords(chaos, ['chaos', ...line.split(' ').filter(Boolean)]);
  if (request.kind !== 'run') throw new Error('not a command');
  return parseChaos(request.values, request.rest);
};

describe('holdfast chaos', () => {
  it('[BAD-564] takes a seed, a time, kinds of faults and a place for its report', () => {
    expect(parse('--seed 7 --minutes 2 --faults kill,stop --rate 2 --report-dir out --no-shrink')).toEqual({
      seed: 7,
      ms: 120_000,
      kinds: ['kill', 'stop'],
      rate: 2,
      reportDir: 'out',
      maxShrinkTries: 0,
    });
    expect(parse('')).toMatchObject({ ms: 60_000, reportDir: 'reports/chaos', seed: expect.any(Number) });
    expect(parse('--hours 8').ms).toBe(8 * 3_600_000);
  });

  it('[BAD-564] takes the command of a server and which tool to call', () => {
    expect(parse('--tool work --arguments {"a":1} -- node server.js --fast').foreign).toEqual({
      command: 'node',
      args: ['server.js', '--fast'],
      tool: 'work',
      toolArgs: { a: 1 },
    });
  });

  it.each([
    ['--seed x', '--seed is "x"; expected a whole number from 0 to 2147483647'],
    ['--seconds 5 --hours 1', '--seconds, --minutes and --hours: expected one of them'],
    ['--seconds 0', '--seconds is "0"; expected a number from 0.01 to 10000'],
    ['--faults flood', '--faults is "flood"; expected some of kill,term,stop'],
    ['--plan nowhere.json', '--plan cannot be read: ENOENT'],
    ['--tool work', '--tool needs the command of a server after --'],
    ['--arguments {}', '--arguments needs the command of a server after --'],
    ['-- node server.js', '--tool is missing; expected a tool of the server after --'],
    ['--tool work --arguments [1] -- node s.js', '--arguments is "[1]"; expected an object as JSON'],
  ])('[BAD-564] says what is expected: %s', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it('[BAD-564] reads a plan that was kept, and names what is wrong with one', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-plan-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const file = join(dir, 'plan.json');
    const plan = { version: 1, seed: 5, ms: 9000, faults: [{ atMs: 1, kind: 'kill', target: 'host' }] };
    await writeFile(file, JSON.stringify(plan));
    expect(parse(`--plan ${file}`)).toMatchObject({ seed: 5, ms: 9000, plan });
    await writeFile(file, JSON.stringify({ ...plan, faults: [{ atMs: 1, kind: 'kill', target: 'disk' }] }));
    expect(await runCli(['chaos', '--plan', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('faults[0].target is "disk"; expected one of server, worker, submitter, host'),
    });
  });
});
