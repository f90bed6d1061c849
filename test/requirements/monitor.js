// @ts-check

const source = 'monitor';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const monitorRequirements = [
  { id: 'MON-01', source, claim: 'without a config everything is monitored and nothing is limited' },
  { id: 'MON-02', source, claim: 'a wrong config is refused with the field, its value and what is expected' },
  { id: 'MON-03', source, claim: 'filters and priorities are changed one by one, and no change is lost' },
  { id: 'MON-04', source, claim: 'include and exclude paths, directory names and globs decide as documented' },
  { id: 'MON-05', source, claim: 'priorities follow directory, depth, underscores and extension' },
  { id: 'MON-06', source, claim: 'a sync records path, size, time, sha-256 and priority of files' },
  { id: 'MON-07', source, claim: 'files with the same size and time are not hashed again unless rehash is asked for' },
  { id: 'MON-08', source, claim: 'what is gone from the disk goes from the database' },
  { id: 'MON-09', source, claim: 'excluded files are skipped and their records dropped' },
  { id: 'MON-10', source, claim: 'nothing below the minimum priority is kept' },
  { id: 'MON-11', source, claim: 'at most the maximum of documents is kept, those with the highest priorities' },
  { id: 'MON-12', source, claim: 'progress reads "Processing 150 of 500 files..." per batch and never falls' },
  {
    id: 'MON-13',
    source,
    claim: 'the estimate comes from the last sync of the path, or from a count and the pace of others',
  },
  { id: 'MON-14', source, claim: 'a cancelled sync leaves a consistent database and is gone on with' },
  { id: 'MON-15', source, claim: 'syncs at the same time do not harm each other' },
  {
    id: 'MON-16',
    source,
    claim: 'a sync of 50,000 files, and of node_modules, killed in the middle is resumed without hashing what is done',
  },
  { id: 'MON-17', source, claim: 'the sync command prints JSON on stdout and progress on stderr' },
  { id: 'MON-18', source, claim: 'SIGINT cancels the sync command cleanly' },
  { id: 'MON-19', source, claim: 'every tool has a command that answers the same' },
  { id: 'MON-20', source, claim: 'a missing path, or none, is an error with its name' },
  { id: 'MON-21', source, claim: 'paths outside the allowed roots are refused' },
  { id: 'MON-22', source, claim: 'symbolic links are not followed, and loops are named' },
  { id: 'MON-23', source, claim: 'names of 255 bytes and names that are no UTF-8 are synced' },
  { id: 'MON-24', source, claim: 'a file that changes while it is hashed is noticed and named' },
  { id: 'MON-25', source, claim: 'a directory that vanishes is named, and the rest is synced' },
  { id: 'MON-26', source, claim: 'what cannot be read is named, and nothing known of it is lost' },
  {
    id: 'MON-30',
    source,
    claim: 'a call of sync that asks for a job is answered with stage 1, progress and one result',
  },
  { id: 'MON-31', source, claim: 'a sync that fails as a whole ends with the error form' },
  { id: 'MON-32', source, claim: 'the server lists the tools of the monitor, sync with async: true' },
  { id: 'MON-33', source, claim: 'status, check, filter and priority tools answer synchronously' },
  { id: 'MON-34', source, claim: 'a sync goes on when its server is killed' },
];
