/** A client that may change the filters of a monitor tries to stop it, or to fill it, with them. */
import { describe, expect, it } from 'vitest';
import { openScene } from '../../apps/monitor/open-scene.ts';
import { openWire } from '../../apps/monitor/open-wire.ts';

/** As a regular expression this one tries every way to share out the letters among the stars: without end. */
const STARS = `${'*a'.repeat(40)}*b`;
const VICTIM = 'a'.repeat(60);

async function openAttack(files: Readonly<Record<string, string>> = {}) {
  const scene = await openScene(files);
  const { call, frames } = await openWire(scene);
  const ask = async (name: string, args = {}) => (await call(`wksm_monitor_${name}`, args)).result?.structuredContent;
  return { scene, ask, call, frames };
}

describe('a client that adds patterns', () => {
  it('[SEC-380] of many stars does not stop the monitor', async () => {
    const { scene, ask } = await openAttack({ [VICTIM]: 'a', [`${VICTIM}b`]: 'b' });
    expect(await ask('filter_add', { list: 'exclude_globs', value: STARS })).toMatchObject({ success: true });
    expect(await ask('filter_add', { list: 'include_globs', value: `${STARS}b` })).toMatchObject({ success: true });
    expect(await ask('check', { path: scene.at(VICTIM) })).toMatchObject({ data: { is_monitored: true } });
    expect(await ask('check', { path: scene.at(`${VICTIM}b`) })).toMatchObject({ data: { is_monitored: false } });
    expect(await scene.counts()).toMatchObject({ files_processed: 2, files_updated: 1, files_excluded: 1 });
  });

  it('[SEC-382] too long, too many or too much in all is refused with the limit, and the rest stays', async () => {
    const { scene, ask } = await openAttack();
    const refused = (text: string) => ({
      success: false,
      messages: [{ type: 'error', text: expect.stringContaining(text) }],
    });
    const add = (list: string, value: string) => ask('filter_add', { list, value });
    expect(await add('exclude_globs', '*'.repeat(1001))).toMatchObject(
      refused('exclude_globs has 1001 characters; expected at most 1000'),
    );
    expect(await add('exclude_dirnames', 'x'.repeat(256))).toMatchObject(
      refused('exclude_dirnames has 256 characters; expected at most 255'),
    );
    expect(await add('exclude_paths', `/${'x'.repeat(4096)}`)).toMatchObject(
      refused('exclude_paths has 4097 characters; expected at most 4096'),
    );
    const many = Array.from({ length: 1000 }, (_, at) => `${at}`);
    await scene.configure({ filter: { exclude_dirnames: many } });
    expect(await add('exclude_dirnames', 'one more')).toMatchObject(
      refused('filter.exclude_dirnames has 1001 entries; expected at most 1000'),
    );
    const long = Array.from({ length: 10 }, (_, at) => String.fromCharCode(97 + at).repeat(1000));
    await scene.configure({ filter: { exclude_globs: long } });
    expect(await add('exclude_globs', '*.tmp')).toMatchObject(
      refused('filter.exclude_globs has 10005 characters in all; expected at most 10000'),
    );
    expect(await ask('filter_show')).toMatchObject({ success: true, data: { exclude_globs: long } });
  });

  it('[SEC-382] gives no more directories a priority than the limit', async () => {
    const { scene, ask } = await openAttack();
    const dirs = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`/${at}`, at]));
    await scene.configure({ priority: { dirs } });
    expect(await ask('priority_add', { path: '/one/more', priority: 1 })).toMatchObject({
      success: false,
      messages: [{ text: expect.stringContaining('priority.dirs has 1001 entries; expected at most 1000') }],
    });
  });
});
