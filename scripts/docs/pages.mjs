// @ts-check
/** Documentation pages generated from the commands and error codes of the program. */
import { ERROR_NOTES } from './error-notes.mjs';

const NOTE = (/** @type {string} */ script) => `<!-- Written by \`${script}\`; do not edit. -->`;

/**
 * Generates docs/cli.md from the descriptions of the commands.
 *
 * @param {readonly import('../../src/cli/command-line/command.ts').Command[]} commands
 */
export function toCliPage(commands) {
  const list = commands.map(({ name, positionals, summary }) => {
    const anchor = `holdfast-${name.replaceAll(' ', '-')}`;
    return `| [\`${toCell([name, ...positionals].join(' '))}\`](#${anchor}) | ${toCell(summary)} |`;
  });
  return [
    '# The command line',
    NOTE('npm run api'),
    INTRODUCTION,
    ['| command | what it does |', '| --- | --- |', ...list].join('\n'),
    ...commands.map(toCommand),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const INTRODUCTION = `\`holdfast\` without a command shows an overview; \`holdfast COMMAND --help\` shows the help below.

- **TASK** and **CALL** are ids or id prefixes of at least four characters, as shown in lists. An ambiguous prefix is rejected with
  the candidates (\`AMBIGUOUS_ID\`).
- **Stores**: task commands search all stores of this user (\`holdfast where\` lists them) unless \`--name\` or \`--store\` names one.
  Commands that delete or move tasks require the store to be named.
- **\`--json\`** prints one JSON document per line; lists and streams print one per entry. Failures are printed to stderr as one
  line \`{code, message, cause}\`. Exit codes are listed in [errors.md](errors.md).
- **Questions** are asked field by field on a terminal; JSON values can be typed, or edited in \`$VISUAL\` or \`$EDITOR\`.`;

/** @param {import('../../src/cli/command-line/command.ts').Command} command */
function toCommand({ name, positionals, summary, options, takesCommandLine }) {
  const usage = ['holdfast', name, ...positionals, '[OPTIONS]', ...(takesCommandLine ? ['[-- COMMAND...]'] : [])].join(
    ' ',
  );
  const rows = Object.entries(options).map(([option, { short, value, help, multiple }]) => {
    const shape = `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`;
    return `| \`${toCell(shape)}\`${multiple ? ' (may be repeated)' : ''} | ${toCell(help)} |`;
  });
  return [
    `## holdfast ${name}`,
    `${summary}.`,
    `\`\`\`\n${usage}\n\`\`\``,
    ['| option | meaning |', '| --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

/**
 * Generates docs/errors.md from the table of errors.
 *
 * @param {readonly { code: keyof typeof ERROR_NOTES, traits: import('../../src/errors.ts').ErrorTraits }[]} errors
 */
export function toErrorsPage(errors) {
  const rows = errors.map(({ code, traits: { rpc, http, exit, retryable } }) => {
    return `| \`${code}\` | ${rpc} | ${http} | ${exit} | ${retryable ? 'yes' : 'no'} |`;
  });
  const notes = errors.map(({ code }) => {
    const { means, remedy } = ERROR_NOTES[code];
    return `### ${code}\n\n${means}\n\n**What to do:** ${remedy}`;
  });
  return `${[
    '# Errors',
    NOTE('npm run api'),
    'Every failure that Holdfast can identify is a `TaskError` with one of these codes. A failed tool is not an error but an outcome,' +
      ' which carries one of the codes too. The message names the subject, its value and the remedy; this page explains each code.',
    ['| code | JSON-RPC | HTTP | exit code | may succeed later |', '| --- | --: | --: | --: | --- |', ...rows].join(
      '\n',
    ),
    ...notes,
  ].join('\n\n')}\n`;
}

/** @param {string} text */
function toCell(text) {
  return text.replaceAll('|', '\\|');
}
