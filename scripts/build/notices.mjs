// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../root.mjs';

// Compiled into the native code, so none of their modules appears in the bundle.
const COMPILED_IN = ['node-addon-api'];

/**
 * The licences of all packages that the modules come from, as a comment.
 *
 * @param {readonly string[]} moduleIds
 * @returns {Promise<string>}
 */
export async function toNotices(moduleIds) {
  const inside = await Promise.all(moduleIds.filter((id) => toFolder(id) !== undefined).map(listVendored));
  const names = [...COMPILED_IN, ...inside.flat()];
  const folders = new Set([...moduleIds.flatMap((id) => toFolder(id) ?? []), ...names.map(toInstalled)]);
  const notices = await Promise.all([inRoot(), ...[...folders].sort()].map(toNotice));
  return `/*!\n${notices.join(`\n${'-'.repeat(80)}\n\n`).replaceAll('*/', '* /')}*/\n`;
}

/** The folder of a module's package; undefined for our own modules. @param {string} id */
function toFolder(id) {
  return /^[^\0]*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id)?.[0];
}

/**
 * The packages that a package has bundled itself: the bundler that most of them use leaves a comment for each file.
 * @param {string} id
 */
async function listVendored(id) {
  const code = await readFile(id, 'utf8');
  return [...code.matchAll(/^\/\/#region .*\/node_modules\/((?:@[^/]+\/)?[^/\s]+)/gm)].map(([, name = '']) => name);
}

/** @param {string} name */
function toInstalled(name) {
  return inRoot('node_modules', ...name.split('/'));
}

/** @param {string} folder */
async function toNotice(folder) {
  const { name, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} has no licence file; its notice must come with the bundle`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} (${license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
