// @ts-check
/** Where a server that stands behind a gateway does not get the same marks as on its own, each with the reason. */

/** @typedef {import('../../scripts/fetched/conformance-suite.mjs').Check} Check */
/** @typedef {Check['status']} Status */

/**
 * @typedef {object} Difference
 * @property {string} scenario
 * @property {string} id
 * @property {Status} direct
 * @property {Status} through
 * @property {string} why
 */

/** @type {readonly Difference[]} */
const gatewayDifferences = [
  ...['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'].map(
    (id) =>
      /** @type {const} */ ({
        scenario: 'server-stateless',
        id,
        direct: 'SUCCESS',
        through: 'FAILURE',
        why: 'An upstream is told all that any client of the gateway can be asked, so it begins, and hears of a refusal when it asks.',
      }),
  ),
  {
    scenario: 'server-stateless',
    id: 'sep-2575-server-sends-tools-list-changed-on-subscription',
    direct: 'SKIPPED',
    through: 'WARNING',
    why: 'A gateway declares that tools may change, because its upstreams may; those of the demo never do.',
  },
  {
    scenario: 'tasks-mrtr-composition',
    id: 'sep-2663-mrtr-synchronous-before-task-creation',
    direct: 'SUCCESS',
    through: 'FAILURE',
    why: 'A gateway makes the task before it calls the upstream, or the call could be lost; so what is asked first is a question of the task.',
  },
];

/**
 * Everything in which two runs differ, one line each, but for what is listed; and what is listed and does not differ.
 *
 * @param {readonly Check[]} direct
 * @param {readonly Check[]} through
 * @param {readonly Difference[]} listed
 */
export function compareRuns(direct, through, listed = gatewayDifferences) {
  const sides = [toMarks(direct), toMarks(through)];
  const [before = new Map(), after = new Map()] = sides;
  const keys = new Set([...before.keys(), ...after.keys()]);
  const differing = [...keys].filter((key) => before.get(key)?.marks !== after.get(key)?.marks);
  const isListed = (/** @type {string} */ key) =>
    listed.some(
      (one) => toKey(one) === key && one.direct === before.get(key)?.marks && one.through === after.get(key)?.marks,
    );
  const surprises = differing
    .filter((key) => !isListed(key))
    .map(
      (key) => `${key}: ${before.get(key)?.marks} directly, ${after.get(key)?.marks} through: ${after.get(key)?.says}`,
    );
  const idle = listed
    .filter((one) => before.has(toKey(one)) && !differing.includes(toKey(one)))
    .map((one) => `${toKey(one)} is listed for nothing`);
  return [...surprises, ...idle];
}

/** @param {{ readonly scenario: string, readonly id: string }} check */
function toKey({ scenario, id }) {
  return `${scenario}: ${id}`;
}

/** A check may be made several times. @param {readonly Check[]} checks */
function toMarks(checks) {
  /** @type {Map<string, { marks: string, says: string }>} */
  const found = new Map();
  for (const check of checks) {
    const { marks, says } = found.get(toKey(check)) ?? { marks: '', says: '' };
    const all = marks === '' ? check.status : `${marks}, ${check.status}`;
    found.set(toKey(check), { marks: all, says: `${says}${check.message}` });
  }
  return found;
}
