// @ts-check

const source = 'Sandbox: the page';

/**
 * The sandbox in the browser.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxPageRequirements = [
  {
    id: 'SAND-101',
    source,
    claim: 'a newcomer opens the address, calls a tool from a form made from its schema, and sees the call end',
  },
  { id: 'SAND-102', source, claim: 'arguments that are wrong are complained of beside their field' },
  { id: 'SAND-103', source, claim: 'questions are answered in place, and a reload loses nothing' },
  { id: 'SAND-104', source, claim: 'a worker killed on the page is seen to be replaced, on the timeline of its task' },
  {
    id: 'SAND-105',
    source,
    claim: 'the AsyncTask Test writes a real entry and finds it; the prompts panel shows the text of the result',
  },
  { id: 'SAND-106', source, claim: 'axe-core finds no serious fault on any screen, light or dark' },
  { id: 'SAND-107', source, claim: 'the page is there in English and Chinese' },
  { id: 'SAND-108', source, claim: 'using the page breaks neither its policy nor its scripts' },
  { id: 'SAND-109', source, claim: 'what the page is told while it reads everything is not undone by what it read' },
  {
    id: 'SAND-110',
    source,
    claim: 'nothing that a server says runs in the page, and its policy has nothing to report',
  },
  { id: 'SAND-130', source, claim: 'a timeline tells the queue from the work, with a bar per attempt' },
  { id: 'SAND-131', source, claim: 'the timeline of a task that is under way goes on until now' },
  { id: 'SAND-132', source, claim: 'markdown becomes blocks of known kinds, and HTML in it stays text' },
  { id: 'SAND-133', source, claim: 'only links to pages and mail are links' },
  { id: 'SAND-134', source, claim: 'markdown of any length and nesting is read in time' },
  { id: 'SAND-135', source, claim: 'a form has a field for each property of a schema' },
  { id: 'SAND-136', source, claim: 'every text of the page is there in both languages, with the same places' },
  { id: 'SAND-150', source, claim: 'an open page goes on by itself after a restart of the sandbox' },
  { id: 'SAND-151', source, claim: 'one button plays the story to its end' },
  { id: 'SAND-152', source, claim: 'a paused worker and a cut connection are got over' },
  { id: 'SAND-153', source, claim: '200 calls at once all come back, and lists draw only what is in sight' },
  { id: 'SAND-154', source, claim: 'a result of 5 MB is shown' },
  { id: 'SAND-155', source, claim: 'a store with 100,000 tasks is shown page by page' },
  { id: 'SAND-201', source, claim: 'messages are read along as they pass, in both directions' },
  { id: 'SAND-202', source, claim: 'messages of a stream come whole, however it is cut' },
  { id: 'SAND-203', source, claim: 'messages that are shown hold no secret of arguments or answers' },
  { id: 'SAND-204', source, claim: 'what is kept of messages is bounded in number and length' },
  { id: 'SAND-205', source, claim: 'a played model does what a hand-over says' },
  { id: 'SAND-210', source, claim: 'a call is made as recorded clients of both eras, over a real connection' },
  { id: 'SAND-211', source, claim: 'a question of a run goes the way of its client' },
  { id: 'SAND-212', source, claim: 'a run is stopped as its client dies, and bad ones are refused' },
  { id: 'SAND-213', source, claim: 'the page shows a run message by message, and what the model reads' },
  { id: 'SAND-220', source, claim: 'words of a copied command line come out of a shell as they were' },
  { id: 'SAND-221', source, claim: 'copied texts keep hostile arguments as data' },
  { id: 'SAND-222', source, claim: 'the copied command line, TypeScript, configuration and test run as they are' },
  { id: 'SAND-223', source, claim: 'a call is copied on its card' },
  { id: 'SAND-206', source, claim: 'messages on the wire are kept by call and by task, in bounds' },
  { id: 'SAND-214', source, claim: 'the raw messages of a call are on its card and with its task' },
  { id: 'SAND-230', source, claim: 'notifications are delayed or duplicated on the way, and answers are not' },
  { id: 'SAND-231', source, claim: 'calls get over late and doubled notifications' },
  { id: 'SAND-232', source, claim: 'a result is found although the log of prompts was moved away' },
  { id: 'SAND-233', source, claim: 'a full store refuses with the reason, and takes calls when there is room again' },
  { id: 'SAND-234', source, claim: 'what has ended is forgotten when its TTL is ended, and calls keep their results' },
  { id: 'SAND-235', source, claim: 'every fault has its button on the page' },
];
