/** A small project with the real scripts and stand-ins for the tools they call. */
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const TOOLS = ['tsc', 'biome', 'oxlint', 'vitest', 'knip', 'publint'];

// Notes every call, fails when its name is in FAIL, and as vitest reports 3 passed tests and FAILED_TESTS failed ones, in
// FILES files of which the first took one second, the second two, and so on. BESIDE names a file with one test that fails
// unless it is run alone, and ALWAYS one whose test fails then too; with BROKEN_TEST=passed the file fails and no test of it.
const STAND_IN = `#!/bin/sh
name=$(basename "$0")
echo "$name $*" >> "$CALLS"
broken=$BESIDE$ALWAYS
case " $* " in *" --no-file-parallelism "*) broken=$ALWAYS ;; esac
for arg; do
  case "$arg" in --outputFile.json=*)
    files=
    for i in $(seq 1 "\${FILES:-0}"); do
      files="$files\${files:+,}{\\"name\\":\\"$PWD/test/$i.test.ts\\",\\"status\\":\\"passed\\",\\"startTime\\":0,\\"endTime\\":\${i}000,\\"assertionResults\\":[{\\"status\\":\\"passed\\"}]}"
    done
    test=\${BROKEN_TEST:-failed} failed=\${FAILED_TESTS:-0}
    [ -n "$broken" ] && [ "$test" = failed ] && failed=$((failed + 1))
    [ -n "$broken" ] && files="{\\"name\\":\\"$PWD/$broken\\",\\"status\\":\\"failed\\",\\"assertionResults\\":[{\\"status\\":\\"$test\\",\\"fullName\\":\\"waits\\",\\"failureMessages\\":[\\"too late\\"]}]}"
    echo "{\\"numPassedTests\\":3,\\"numFailedTests\\":$failed,\\"testResults\\":[$files]}" > "\${arg#*=}" ;;
  esac
done
[ "$name" = vitest ] && [ -n "$broken" ] && exit 1
case " $FAIL " in *" $name "*) exit 1 ;; esac
`;

export interface Ran {
  readonly code: number | null;
  readonly lines: readonly string[];
  /** Tools that were called, in order, with their arguments. */
  readonly calls: readonly string[];
}

export interface ScriptsFixture extends AsyncDisposable {
  readonly folder: string;
  write(path: string, text: string): Promise<void>;
  /** Changes fields of its package.json. */
  amend(fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** Runs `npm <args>` in the project. */
  npm(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs a script as npm would, without npm, which takes longer than all that is asked here. */
  script(name: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs what the continuous integration runs. */
  ci(env?: Readonly<Record<string, string>>): Promise<Ran>;
}

export async function createScriptsFixture(): Promise<ScriptsFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scripts-'));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const part of ['scripts', '.ci']) await cp(join(root, part), join(folder, part), { recursive: true });
  const { scripts, engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'fixture',
    version: '1.0.0',
    type: 'module',
    engines,
    scripts,
    dependencies: { tools: 'file:tools' },
  };
  const amend = (fields: object) => write('package.json', JSON.stringify({ ...manifest, ...fields }));
  await amend({});
  await write('package-lock.json', JSON.stringify({ name: 'fixture', lockfileVersion: 3, packages: {} }));
  await write('src/index.ts', '');
  const bin = Object.fromEntries(TOOLS.map((tool) => [tool, tool]));
  await write('tools/package.json', JSON.stringify({ name: 'tools', version: '1.0.0', bin }));
  for (const tool of TOOLS) {
    await write(`tools/${tool}`, STAND_IN);
    await chmod(join(folder, 'tools', tool), 0o755);
  }
  return {
    folder,
    write,
    amend,
    npm: (args, env = {}) => run({ folder, command: ['npm', '--silent', ...args], env }),
    script: (name, args = [], env = {}) => run({ folder, command: [...scripts[name].split(' '), ...args], env }),
    ci: (env = {}) => run({ folder, command: [join(folder, '.ci', 'run')], env }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Run {
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function run({ folder, command, env }: Run): Promise<Ran> {
  const calls = join(folder, 'calls');
  await writeFile(calls, '');
  const all = { ...process.env, CALLS: calls, FAIL: '', ...env };
  const { code, output } = await runCommand(command, { cwd: folder, env: all });
  return { code, lines: toLines(output), calls: toLines(await readFile(calls, 'utf8')) };
}

function toLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
