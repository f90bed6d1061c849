const MAX_LINES = 2000;

/** A diff with coloured lines; the sign at the start of each line conveys the same to those who see no colours. */
export function DiffView({ text }: { text: string }) {
  const lines = text.split('\n').slice(0, MAX_LINES);
  return (
    <pre class="code-block diff" tabIndex={0}>
      {lines.map((line, at) => (
        <span key={at} class={toClass(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function toClass(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return 'diff-file';
  if (line.startsWith('@@')) return 'diff-place';
  if (line.startsWith('+')) return 'diff-added';
  return line.startsWith('-') ? 'diff-removed' : '';
}
