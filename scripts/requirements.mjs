// @ts-check
/** Prints the rows of the requirements table that have no test yet. */
import { readTests, toCoverage } from '../test/requirements/coverage.js';
import { requirements } from '../test/requirements/requirements.js';

const { unproven } = await toCoverage(requirements, await readTests());
for (const { id, source, claim } of unproven) console.log(`${id.padEnd(10)} ${source.padEnd(11)} ${claim}`);
console.log(`${unproven.length} of ${requirements.length} rows have no test.`);
