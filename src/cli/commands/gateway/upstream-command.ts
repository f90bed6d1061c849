/** Runs the upstream server as it would run without a gateway: in this directory, with the whole environment. */
export function toCommand([command = '', ...args]: readonly string[]) {
  return { command, args, cwd: process.cwd(), passEnv: ['*'] };
}
