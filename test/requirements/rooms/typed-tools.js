// @ts-check

const source = 'rooms';

/**
 * Rooms and words: types that tell the truth, and what is said of every exported name.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const roomsTypesRequirements = [
  { id: 'ROOMS-140', source, claim: 'submit with a name that no known tool has does not compile' },
  {
    id: 'ROOMS-141',
    source,
    claim: 'arguments that do not fit the input of an engine tool do not compile, are refused, and make no task',
  },
  { id: 'ROOMS-142', source, claim: 'an engine tool gets what its zod or JSON schema makes of the arguments' },
  { id: 'ROOMS-143', source, claim: 'without a schema the arguments are what the parameter of `run` says' },
  { id: 'ROOMS-144', source, claim: 'an engine with known tools can be used where any engine is expected' },
  {
    id: 'ROOMS-145',
    source,
    claim:
      'a tool whose run does not fit its input, has unknown members or asks for what JSON does not carry does not compile',
  },
  { id: 'ROOMS-146', source, claim: 'an engine whose tools are not known takes any name and checks it at run time' },
  { id: 'ROOMS-147', source, claim: 'an input that is no schema of an object is refused when the engine is opened' },
  { id: 'ROOMS-148', source, claim: 'step returns what JSON makes of the value, in the first run as in later ones' },
  { id: 'ROOMS-149', source, claim: 'Jsonify follows JSON for every kind of value' },
  { id: 'ROOMS-150', source, claim: 'with `output` the compiler checks what run of a server tool returns' },
  { id: 'ROOMS-151', source, claim: 'annotations that MCP does not have do not compile' },
  { id: 'ROOMS-152', source, claim: 'fields of asyncTask that are not read do not compile' },
  { id: 'ROOMS-153', source, claim: 'step of a tool that is never a task returns what JSON makes of the value, too' },
  { id: 'ROOMS-154', source, claim: 'every type that a door names is exported from a door' },
  { id: 'ROOMS-155', source, claim: 'every name that a door exports has a sentence' },
  { id: 'ROOMS-156', source, claim: 'docs/api is what the generator makes of the declarations' },
  { id: 'ROOMS-157', source, claim: 'the reference shows signatures, members, sentences and defaults' },
  { id: 'ROOMS-158', source, claim: 'zod is a peer: its types are part of the API' },
  { id: 'ROOMS-159', source, claim: 'the range of the SDK ends where what is patched in it was looked at' },
  {
    id: 'ROOMS-160',
    source,
    claim: 'the contract of stores and the decisions they share are one door, whole in itself',
  },
  {
    id: 'ROOMS-161',
    source,
    claim: 'a store that comes with Holdfast uses nothing that an author of a store cannot import',
  },
];
