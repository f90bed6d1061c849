// @ts-check

const source = 'Gateway: install in one line';
const auth = 'Gateway: authorisation upstream';

/**
 * Gateway: install in one line.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const gatewayInstallRequirements = [
  {
    id: 'GATE-300',
    source,
    claim: 'every server of every known client is started through the gateway, with the words it had',
  },
  { id: 'GATE-301', source, claim: "comments, order and unknown keys of a client's file stay" },
  {
    id: 'GATE-302',
    source,
    claim:
      'an entry is put back letter by letter, or in its meaning where the client wrote its file anew, or left and told',
  },
  { id: 'GATE-303', source, claim: 'what is behind the gateway is not put behind it again' },
  { id: 'GATE-304', source, claim: 'only the servers that were named are changed' },
  {
    id: 'GATE-305',
    source,
    claim: 'a server with a URL becomes a program, and its headers and tokens are handed over as variables',
  },
  {
    id: 'GATE-306',
    source,
    claim: 'what the gateway cannot serve, and what cannot be read, is left as it is and told',
  },
  {
    id: 'GATE-307',
    source,
    claim:
      'a file is changed whole or not at all: mode, owner, link and byte order mark stay, and what others write meanwhile is not lost',
  },
  { id: 'GATE-308', source, claim: 'a file that is read-only or not in UTF-8 is left as it is and told' },
  {
    id: 'GATE-309',
    source,
    claim: 'install shows the difference, asks, keeps a backup, and uninstall puts the file back byte by byte',
  },
  { id: 'GATE-310', source, claim: 'without a terminal nothing is changed unless --yes was said' },
  {
    id: 'GATE-311',
    source,
    claim: 'doctor tells of clients, their servers and time limits, and which tools outlast them',
  },
  {
    id: 'GATE-320',
    source: auth,
    claim: 'signing in keeps registration and tokens for the user alone, encoded where there is a key',
  },
  { id: 'GATE-321', source: auth, claim: 'a sign-in that is refused or given up says so' },
  {
    id: 'GATE-322',
    source: auth,
    claim: 'tokens are renewed before they end and when they are refused, by one process at a time',
  },
  { id: 'GATE-323', source: auth, claim: 'a server that waits for a person is told as that, with how to sign in' },
  { id: 'GATE-324', source: auth, claim: 'holdfast auth signs in and forgets, by URL or by the name of a server' },
  {
    id: 'GATE-327',
    source: auth,
    claim: 'a token is renewed while no client is connected, and the call of a client that went goes on with it',
  },
  { id: 'GATE-325', source: auth, claim: 'a call through a host goes on when the token ends while it runs' },
  {
    id: 'GATE-326',
    source: auth,
    claim: 'headers for an upstream come from variables, and never from the command line',
  },
];
