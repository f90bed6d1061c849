import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSite } from '../e2e/site.ts';
import { runOpencode } from './run-agent.ts';
import { insistOn } from './scripted-model.ts';

const BUILD = { server: 'ci', tool: 'build', args: { what: 'app' } };

describe('the real opencode as a host', () => {
  it('[HOSTS-370] x', async () => {
    const site = await openSite('hosted-server');
    writeFileSync(join(site.dir, 'built'), '');
    const out = await runOpencode({ servers: { ci: site.command }, model: insistOn(BUILD, 'app is built'), giveUpMs: 60_000 });
    console.log(out);
    expect(site.runs()).toEqual(['build app']);
  });
});
