// @ts-check

/**
 * Both MCP eras: what a server does with what it should never have been sent.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const wireRequirements = [
  {
    id: 'WIRE-01',
    source: 'eras',
    claim: 'a wrong type in any field of any method is refused with the code for it, and the next request works',
  },
  { id: 'WIRE-02', source: 'eras', claim: 'a handshake with a wrong field is refused, and the next one succeeds' },
  { id: 'WIRE-03', source: 'eras', claim: 'what is no JSON-RPC is a parse error or an invalid request' },
  { id: 'WIRE-04', source: 'eras', claim: 'every request of an unknown protocol version is refused, over stdio too' },
  { id: 'WIRE-05', source: 'eras', claim: 'headers that disagree with the body are refused' },
  {
    id: 'WIRE-06',
    source: 'eras',
    claim: 'random messages never kill or hang a server, and each request is answered once with a code for its mistake',
  },
];
