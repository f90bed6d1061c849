import type { Stranded, StrandedWhy } from './stranded.ts';

const CHANGES: Readonly<Record<StrandedWhy, string>> = {
  environment: 'submitted in another environment',
  program: 'submitted with another command line or in another directory',
  tool: 'of a tool that is not there any more',
};

const WHYS = Object.keys(CHANGES) as StrandedWhy[];

/** Returns a warning about stranded tasks, with what can be done about them; `undefined` when there are none. */
export function toStrandedText(stranded: readonly Stranded[], directory: string | undefined): string | undefined {
  const total = sum(stranded);
  if (total === 0) return undefined;
  const names = [...new Set(stranded.map(({ name }) => name))].join(', ');
  const parts = WHYS.flatMap((why) => {
    const found = stranded.filter((one) => one.why === why);
    return found.length === 0 ? [] : [`${sum(found)} ${CHANGES[why]}${why === 'tool' ? toTools(found) : ''}`];
  });
  const waits = total === 1 ? '1 task waits' : `${total} tasks wait`;
  return `${waits} for a worker of ${names} that cannot come: ${parts.join(', ')}; ${toRemedy(stranded, directory)}`;
}

function toRemedy(stranded: readonly Stranded[], directory: string | undefined): string {
  const store =
    directory === undefined
      ? ''
      : ` --store ${/^[\w./@:+-]+$/.test(directory) ? directory : JSON.stringify(directory)}`;
  const adopt = `"holdfast tasks adopt --all${store}" gives ${stranded.length === 1 ? 'it' : 'them'} to the newest program of the name`;
  const again = 'or start theirs again, or cancel them';
  const hasHeir = stranded.some(({ heir }) => heir !== undefined);
  const lost = stranded.some(({ why }) => why === 'tool');
  const tool = 'put the tool back, or cancel what needs it with "holdfast tasks cancel"';
  return [hasHeir ? `${adopt}, ${again}` : undefined, lost ? tool : undefined].filter(Boolean).join('; ');
}

function toTools(stranded: readonly Stranded[]): string {
  return ` (${[...new Set(stranded.map(({ tool }) => tool))].join(', ')})`;
}

function sum(stranded: readonly Stranded[]): number {
  return stranded.reduce((all, { count }) => all + count, 0);
}
