// Prepares `sh -c <script>` behind its gate, prints its reference and stops right before releasing it.
// With a second argument it releases it and prints again when the program has said its first words.
import { spawnGated } from '../../../dist/process/process-group.js';

const [script = '', mode] = process.argv.slice(2);
const gated = await spawnGated('sh', ['-c', script]);
process.stdout.write(`${JSON.stringify(gated.ref)}\n`);
if (mode === 'release') {
  gated.child.stdout.pipe(process.stdout);
  gated.release();
}
process.stdin.resume();
