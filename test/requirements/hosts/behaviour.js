// @ts-check

const source = 'hosts';

/**
 * Hosts as they are: how they cancel, who answers for their users, what they call themselves, and what a repeated call
 * is told.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostBehaviourRequirements = [
  { id: 'HOSTS-280', source, claim: "Codex's own cancel leaves the work, which is joined by the repeat" },
  { id: 'HOSTS-281', source, claim: 'a cancel that speaks of time leaves the work, whichever client sent it' },
  { id: 'HOSTS-282', source, claim: 'owners name reasons of their own, beside those that are known of the client' },
  { id: 'HOSTS-283', source, claim: 'any other cancel, with or without a reason, ends the work at once' },
  { id: 'HOSTS-284', source, claim: 'reasons that cannot be used are refused by name' },
  {
    id: 'HOSTS-290',
    source,
    claim: 'a refusal faster than any person, or an error, counts as not shown: words follow',
  },
  { id: 'HOSTS-291', source, claim: 'a client that refused by itself is not asked again on its connection' },
  { id: 'HOSTS-292', source, claim: 'a client whose profile is headless is asked in words from the start' },
  { id: 'HOSTS-293', source, claim: 'what is accepted counts, however fast' },
  { id: 'HOSTS-294', source, claim: 'a real refusal is a tool result that names question and client' },
  { id: 'HOSTS-295', source, claim: 'the same for questions by input_required, also before the work begins' },
  { id: 'HOSTS-296', source, claim: 'a real refusal of an input_required answer is named as well; an accept counts' },
  { id: 'HOSTS-297', source, claim: 'a tool learns which question was refused, how, and by whom' },
  { id: 'HOSTS-300', source, claim: 'the result of an earlier call says so in words and in _meta; its values stay' },
  { id: 'HOSTS-301', source, claim: 'the words tell a model how to get a new result, and that works' },
  { id: 'HOSTS-302', source, claim: 'a call that names the earlier one by its key gets no words' },
  { id: 'HOSTS-303', source, claim: 'a tool says how old a result may be that ended unseen' },
  { id: 'HOSTS-304', source, claim: 'a call can ask for a fresh run' },
  { id: 'HOSTS-305', source, claim: 'a wish for a fresh run that cannot be read is refused' },
  { id: 'HOSTS-310', source, claim: 'a name alone never lengthens patience beyond the default' },
  { id: 'HOSTS-311', source, claim: 'a name alone never takes the companion tools away' },
  { id: 'HOSTS-312', source, claim: 'a client that shows what was measured of it is held as long as it waits' },
  { id: 'HOSTS-313', source, claim: "owners' profiles need no second sign, and a name may always shorten" },
];
