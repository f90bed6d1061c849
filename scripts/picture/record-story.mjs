// @ts-check
/** Runs the commands of the README in an empty folder, and records what was printed, and when. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkPackage } from '../install/link-package.mjs';
import { inRoot } from '../root.mjs';

/** @typedef {{ command: string, lines: { text: string, at: number }[] }} Typed `at` is ms since the command was typed */

export async function recordStory() {
  const { program, commands } = await readPage();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-picture-'));
  try {
    await linkPackage(folder);
    await writeFile(join(folder, 'reports.mjs'), program);
    /** @type {Typed[]} */
    const story = [];
    for (const command of commands) story.push(await type(toTyped(command, story), folder));
    return story;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readPage() {
  const page = await readFile(inRoot('README.md'), 'utf8');
  const toBlocks = (/** @type {string} */ language) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
  const lines = toBlocks('sh').flatMap((text) => text.trim().split('\n'));
  const commands = lines.filter((line) => !line.startsWith('npm '));
  return { program: toBlocks('js')[0] ?? '', commands };
}

/** @param {string} command @param {readonly Typed[]} story */
function toTyped(command, story) {
  const printed = story.flatMap(({ lines }) => lines.map(({ text }) => text)).join('\n');
  return command.replace('PID', /\(process (\d+)\)/.exec(printed)?.[1] ?? 'PID');
}

/** @param {string} command @param {string} folder @returns {Promise<Typed>} */
async function type(command, folder) {
  const began = Date.now();
  const quiet = { NO_COLOR: '1', NODE_NO_WARNINGS: '1', npm_config_update_notifier: 'false' };
  const env = { ...process.env, ...quiet, HOME: folder, HOLDFAST_DIR: join(folder, 'state') };
  const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {Typed['lines']} */
  const lines = [];
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ data) => {
    for (const text of data.split('\n').filter(Boolean)) lines.push({ text, at: Date.now() - began });
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${lines.map(({ text }) => text).join('\n')}`);
  return { command, lines };
}
