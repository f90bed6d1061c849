// @ts-check

const source = 'Gateway: calls';

/**
 * Gateway: any tool call becomes a durable task.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const gatewayCallsRequirements = [
  {
    id: 'GATE-200',
    source,
    claim: 'calls of a server without tasks are tasks for clients of both eras, with progress',
  },
  { id: 'GATE-201', source, claim: 'what an upstream asks during a call is a question of its task' },
  { id: 'GATE-202', source, claim: 'a cancel reaches the upstream' },
  { id: 'GATE-205', source, claim: 'clients and workers of a gateway share one process of a server on stdio' },
  { id: 'GATE-204', source, claim: 'work that says nothing of its progress is told of by its time and its estimate' },
  {
    id: 'GATE-206',
    source,
    claim: 'a killed worker loses no call: the next one goes on with it, and the work is done once',
  },
  {
    id: 'GATE-207',
    source,
    claim:
      'an upstream that dies is started again; its calls are made again if they may be, else they end as interrupted',
  },
  {
    id: 'GATE-210',
    source,
    claim: 'a client of any dialect can use a server of any dialect, with progress, and work done once',
  },
  {
    id: 'GATE-211',
    source,
    claim: 'questions of a server of any dialect are answered by clients of any that can be asked',
  },
  {
    id: 'GATE-212',
    source,
    claim: 'a cancel by a client of any dialect stops the work of a server of any dialect, and the outcome says how',
  },
  { id: 'GATE-214', source, claim: 'a task of a gateway is nobody else’s to see, to answer or to cancel' },
  { id: 'GATE-215', source, claim: 'the same call of the next client joins the one that is under way' },
  { id: 'GATE-216', source, claim: 'a result that came while nobody was connected is given to the next client' },
  { id: 'GATE-220', source, claim: 'an upstream that behaves badly harms no other, and its calls say what went wrong' },
  { id: 'GATE-221', source, claim: 'a server of either SDK in the same process gets tasks by one line' },
  { id: 'GATE-222', source, claim: 'holdfast gateway serves a command, and holdfast tasks shows its calls' },
  {
    id: 'GATE-223',
    source,
    claim: 'a server that cannot be started is named, with the reason and a remedy, also to the client',
  },
  {
    id: 'GATE-224',
    source,
    claim: 'a config with unknown or wrong fields is refused by file, field and what is expected',
  },
  {
    id: 'GATE-225',
    source,
    claim: 'each upstream that cannot be reached is named with the reason and a remedy, and the others are served',
  },
  { id: 'GATE-226', source, claim: 'an answer of 200 MB ends its call with the size and the limit, and no other' },
  { id: 'GATE-227', source, claim: 'a client that goes in the middle of a frame ends no work' },
  {
    id: 'GATE-228',
    source,
    claim: 'holdfast tasks shows, follows, answers and cancels the calls of a gateway that runs, from another terminal',
  },
  {
    id: 'GATE-230',
    source,
    claim: 'a client that gives up early gets the result of a published server in the end, which ran once',
  },
  {
    id: 'GATE-231',
    source,
    claim: 'a gateway starts before a server that ends while it is asked for its tools, and comes back',
  },
  { id: 'GATE-208', source, claim: 'a server over HTTP stands behind a gateway as one on stdio does' },
  {
    id: 'GATE-240',
    source,
    claim:
      'a server on stdio that ignores a cancel, and serves no other call, is ended with what it started; the outcome says how the work was stopped',
  },
  {
    id: 'GATE-241',
    source,
    claim: 'a server that ignores a cancel and serves other calls is left alone, and that is said',
  },
  {
    id: 'GATE-242',
    source,
    claim: 'a server that has stopped the work is not ended, nor one whose policy is to be told only',
  },
  {
    id: 'GATE-243',
    source,
    claim: 'a call whose worker died is stopped upstream when its task is cancelled before another worker has come',
  },
  { id: 'GATE-250', source, claim: 'what an upstream logs during a call is kept as events of its task' },
  {
    id: 'GATE-251',
    source,
    claim: 'questions of an upstream that works at several calls are asked of the task that each belongs to',
  },
  { id: 'GATE-252', source, claim: 'connections for single calls are opened up to a limit, and used again' },
  { id: 'GATE-203', source, claim: 'a client that goes ends no work; the next one gets the result' },
];
