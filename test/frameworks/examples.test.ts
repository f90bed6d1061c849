import { describe, expect, it } from 'vitest';
import { inRoot } from '../../scripts/root.mjs';
import { programPath } from '../programs/program-path.js';
import { share } from '../share.ts';
import { expectDurable, openApp, textOf } from './open-app.ts';

// In `npm test` one for `server.fetch`; `server.node` is tried below without a framework.
const FRAMEWORKS = share(['hono', 'express', 'fastify'], { every: 3 });

describe('a slow tool whose serving process is killed comes back', () => {
  it.each(FRAMEWORKS)('[FIRST-200] under %s, as the example has it', async (framework) => {
    const args = [inRoot('examples', framework, 'server.js')];
    await expectDurable(await openApp({ name: `reports-${framework}`, args }));
  });

  it.each(['fetch', 'node'])(
    '[FIRST-201] [FIRST-209] with server.%s alone, in a program that never calls start',
    async (way) => {
      const app = await openApp({ name: 'no-start', args: [programPath('no-start-app.js'), way] });
      await expectDurable(app);
      expect(await textOf(app, 'listen')).toBe('listened');
    },
  );

  it('[FIRST-202] in a program whose worker is a file of its own', async () => {
    const args = [programPath('worker-entry-app.js')];
    await expectDurable(await openApp({ name: 'worker-entry', args }));
  });
});
