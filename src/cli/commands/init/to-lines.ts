/** Removes the first and last line and the common indentation of an indented template literal. */
export function toLines(text: string): string {
  const lines = text.split('\n').slice(1, -1);
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...margins);
  return `${lines.map((line) => line.slice(margin)).join('\n')}\n`;
}
