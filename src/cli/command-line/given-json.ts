import { text } from 'node:stream/consumers';

/** What stands for JSON on a command line: itself, or for `-` all of stdin, which no other user of the machine can see. */
export async function readGiven(given: string): Promise<string> {
  return given === '-' ? text(process.stdin) : given;
}

/** Takes the arguments of this process out of what every user of the machine sees of it. */
export function hideArguments(command: string): void {
  process.title = `holdfast ${command}`;
}
