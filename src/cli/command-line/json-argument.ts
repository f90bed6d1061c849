/** Returns a JSON argument as given, or all of stdin for `-`: stdin is not visible to other users of the machine. */
export async function readJsonArgument(given: string): Promise<string> {
  if (given !== '-') return given;
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}
