/**
 * Shell patterns as Python's `fnmatchcase` reads them: `*` and `?` also match slashes, case counts, and nothing is
 * special but `*`, `?`, `[set]` and `[!set]`.
 */
export function toPattern(glob: string): RegExp {
  const source = glob.replace(TOKEN, (token, set: string | undefined) => {
    if (token.startsWith('*')) return '.*';
    if (token === '?') return '.';
    if (set === undefined) return `\\${token}`;
    return set === '!' ? '\\[!\\]' : toSet(set);
  });
  return compile(source) ?? compile(glob.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')) ?? /$^/;
}

// A set holds at least one character, so that `]` can be its first.
const TOKEN = /\*+|\?|\[(!?[\s\S][^\]]*)\]|[\\^$.+()[\]{}|/]/g;

function toSet(set: string): string {
  const isNegated = set.startsWith('!');
  const members = (isNegated ? set.slice(1) : set).replace(/[\\^[\]]/g, '\\$&');
  return `[${isNegated ? '^' : ''}${members}]`;
}

// A range such as [z-a] is no legal expression; the pattern then stands for itself.
function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`, 'su');
  } catch {
    return undefined;
  }
}
