/** Formats a call of the page for use elsewhere. The texts contain what the page shows, and no environment variables. */
import type { JsonObject } from '../../host/index.ts';
import { toShellWord, toVisibleJson } from '../../text/shell-word.ts';

/** A program and its arguments. */
export interface Words {
  readonly command: string;
  readonly args: readonly string[];
}

/** How to reach the sandbox's servers without the sandbox. */
export interface CopySource {
  /** The command line of Holdfast. */
  readonly own: Words;
  /** The command that serves the same tools, under the same names, on stdio. */
  readonly served: Words;
  /** One name for all the servers together. */
  readonly name: string;
  /** Whether the servers may need environment variables. */
  readonly needsEnv: boolean;
}

export interface CopiedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface CopyTexts {
  /** A command for a POSIX shell; absent for a tool name that would be parsed as an option. */
  readonly cli?: string;
  /** A module for Node, also valid as JavaScript. */
  readonly typescript: string;
  /** The client configuration that provides the tools. */
  readonly config: string;
  /** A test for `node --test` that fails as long as the call fails. */
  readonly test: string;
}

export function toCopyTexts(source: CopySource, call: CopiedCall): CopyTexts {
  const { served, name } = source;
  return {
    ...(!call.tool.startsWith('-') && { cli: toCli(source, call) }),
    typescript: toTypeScript(source, call),
    config: toVisibleJson({ mcpServers: { [name]: served } }, 2),
    test: toTest(source, call),
  };
}

function toCli({ own, served, needsEnv }: CopySource, { tool, args }: CopiedCall): string {
  const words = [
    ...[own.command, ...own.args, 'call', tool, toVisibleJson(args)],
    ...(needsEnv ? ['--pass-env', '*'] : []),
    ...['--', served.command, ...served.args],
  ];
  return words.map(toShellWord).join(' ');
}

function toTypeScript(source: CopySource, call: CopiedCall): string {
  return [
    "import { createHost } from 'holdfast/host';",
    '',
    'const host = await createHost();',
    'try {',
    ...toLines(source, call),
    '  console.log(JSON.stringify(await call.outcome(), null, 2));',
    '} finally {',
    '  await host.close();',
    '}',
    '',
  ].join('\n');
}

function toTest(source: CopySource, call: CopiedCall): string {
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { createHost } from 'holdfast/host';",
    '',
    `test(${toVisibleJson(`${call.tool} gives a result`)}, async () => {`,
    '  const host = await createHost();',
    '  try {',
    ...toLines(source, call).map((line) => `  ${line}`),
    '    const outcome = await call.outcome();',
    "    assert.equal(outcome.kind, 'result', JSON.stringify(outcome));",
    '    assert.equal(outcome.isError, false, JSON.stringify(outcome.result));',
    '  } finally {',
    '    await host.close();',
    '  }',
    '});',
    '',
  ].join('\n');
}

function toLines({ served, name, needsEnv }: CopySource, { tool, args }: CopiedCall): string[] {
  const spec = { ...served, ...(needsEnv && { passEnv: ['*'] }) };
  return [
    `  await host.connect(${toVisibleJson(name)}, ${toVisibleJson(spec)});`,
    `  const call = await host.call(${toVisibleJson(name)}, ${toVisibleJson(tool)}, ${toLiteral(args)});`,
  ];
}

/** As a key in an object literal, `__proto__` would set the prototype. */
function toLiteral(args: JsonObject): string {
  const text = toVisibleJson(args);
  return text.includes('__proto__') ? `JSON.parse(${toVisibleJson(text)})` : text;
}
