// @ts-check

const source = 'hosts';

/**
 * Hosts as they are: what models are told, and how the tools to wait with are called.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostWordsRequirements = [
  {
    id: 'HOSTS-150',
    source,
    claim:
      'each hand-over names arguments for the next wait that differ from the last ones: Cline stops five equal calls',
  },
  { id: 'HOSTS-151', source, claim: 'a turn that is wrong or missing is never refused' },
  {
    id: 'HOSTS-152',
    source,
    claim: 'waits grow with each answer that came in time, and never beyond what the client bears',
  },
  {
    id: 'HOSTS-153',
    source,
    claim:
      "companion tools carry the server's name where the client is not known to tell servers apart, so that two servers share none",
  },
  { id: 'HOSTS-154', source, claim: 'clients that name the server themselves are shown the plain names' },
  {
    id: 'HOSTS-155',
    source,
    claim: 'companion tools are called by either name; one is listed, and it is the one that all texts tell',
  },
  { id: 'HOSTS-156', source, claim: 'companionPrefix says how they are called for every client, and is checked' },
  { id: 'HOSTS-157', source, claim: 'their names are valid for every API, and differ for servers of different names' },
  { id: 'HOSTS-158', source, claim: "an owner's tool of such a name is refused by name" },
  {
    id: 'HOSTS-159',
    source,
    claim: 'task_list tells tool, arguments, age and state of each call, and the call that gets its result',
  },
  { id: 'HOSTS-160', source, claim: 'task_list masks what is kept out of sight, and cuts what is long' },
  { id: 'HOSTS-161', source, claim: 'a question in words tells the model to ask the user and not to choose an answer' },
  { id: 'HOSTS-162', source, claim: 'a hand-over tells a model that ends its turn what to say to the user' },
  { id: 'HOSTS-163', source, claim: 'the schemas of companion tools have no reference, recursion or alternative' },
  { id: 'HOSTS-164', source, claim: 'task_answer takes any JSON object, also as text, and refuses all else by name' },
];
