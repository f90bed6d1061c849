/** What stands for JSON on a command line: itself, or for `-` all of stdin, which no other user of the machine can see. */
export async function readGiven(given: string): Promise<string> {
  if (given !== '-') return given;
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}
