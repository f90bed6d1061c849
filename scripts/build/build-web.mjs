// @ts-check
import { createHash } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { inRoot } from '../root.mjs';

const OUT = inRoot('dist', 'web');
const VIEW = 'task-view.html';

/** @satisfies {import('vite').InlineConfig} */
const COMMON = {
  root: inRoot('web'),
  configFile: false,
  // Relative, so that the page can be served under any path.
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

/** Builds the pages of the dashboard, and the view for MCP Apps hosts, into `dist/web`. Fetches nothing from the network. */
export async function buildWeb() {
  const { build } = await import('vite');
  const { NODE_ENV: before } = process.env;
  const target = 'es2022';
  await build({
    ...COMMON,
    build: {
      outDir: OUT,
      emptyOutDir: true,
      target,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: ['index.html', 'answer.html'].map((page) => inRoot('web', page)) },
    },
  });
  const built = await build({
    ...COMMON,
    publicDir: false,
    build: {
      target,
      write: false,
      modulePreload: { polyfill: false },
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      rolldownOptions: { input: inRoot('web', VIEW), output: { codeSplitting: false } },
    },
  });
  await writeFile(
    inRoot('dist', 'web', VIEW),
    toOneFile(/** @type {import('vite').Rolldown.RolldownOutput} */ (built)),
  );
  // Vite sets NODE_ENV to production, with which npm would leave out what tests need.
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
  // The pages contain the code of one package, whose licence must be included.
  await copyFile(inRoot('node_modules', 'preact', 'LICENSE'), inRoot('dist', 'web', 'preact-license.txt'));
}

/**
 * Inlines the page's script and styles. Its policy lets it run nothing else, wherever a host shows it.
 *
 * @param {import('vite').Rolldown.RolldownOutput} built
 */
function toOneFile({ output }) {
  const [html = '', script = '', styles = ''] = ['.html', '.js', '.css'].map((ending) => {
    const found = output.filter(({ fileName }) => fileName.endsWith(ending));
    if (found.length !== 1) throw new Error(`the view has ${found.length} files *${ending}; expected one`);
    return found.map((one) => ('code' in one ? one.code : String(one.source)))[0] ?? '';
  });
  // The script must not contain a text that would end its element.
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim();
  const css = styles.replaceAll('</style', '<\\/style').trim();
  const policy = [
    "default-src 'none'",
    `script-src ${toHash(code)}`,
    `style-src ${toHash(css)}`,
    'img-src data:',
    'media-src data:',
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <style>${css}</style>`;
  return html
    .replace(/\s*<script[^>]*><\/script>/, '')
    .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
    .replace('<head>', () => `<head>\n    ${head}`)
    .replace('</body>', () => `<script type="module">${code}</script>\n  </body>`);
}

/** @param {string} text */
function toHash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
