// @ts-check

const source = 'bad-days';

/**
 * Bad days: a store whose file goes, changes or fails says so before anything is acknowledged.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const storeFileBadDayRequirements = [
  {
    id: 'BAD-300',
    source,
    claim: 'A write into a database that was deleted, moved, replaced or cut to nothing is refused with STORE_GONE',
  },
  { id: 'BAD-301', source, claim: 'A write-ahead log that was deleted or replaced is noticed' },
  { id: 'BAD-302', source, claim: 'An empty file in the place of a database is not taken for a new one' },
  { id: 'BAD-303', source, claim: 'Readers hear that the file is gone' },
  {
    id: 'BAD-304',
    source,
    claim: 'An engine whose store is gone stops its work, claims nothing more, and leaves a new file to others',
  },
  { id: 'BAD-305', source, claim: 'A store that was cut to nothing does not become an empty store' },
  { id: 'BAD-306', source, claim: 'A page that could not be read for a moment does not fail a read' },
  {
    id: 'BAD-307',
    source,
    claim: 'Damage is named with advice that loses nothing if the disk failed for a moment only',
  },
  {
    id: 'BAD-308',
    source,
    claim: 'A disk that was switched to reading only at run time is STORE_READ_ONLY, a full one STORE_FULL',
  },
];
