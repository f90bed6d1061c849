/** Who puts a gateway before a server wants it to run as it did: with everything that it would have found. */
export function toCommand([command = '', ...args]: readonly string[]) {
  return { command, args, cwd: process.cwd(), passEnv: ['*'] };
}
