// @ts-check
/**
 * What the product promises, one row per checkable claim.
 *
 * A test proves a row by carrying its id in brackets at the start of its title: `it('[TASK-02] …')`. A row whose proof
 * lies in a suite that is published, and so knows nothing of these ids, names the test instead.
 */

import { chaosBadDayRequirements } from './bad-days/chaos.js';
import { crashesBadDayRequirements } from './bad-days/crashes.js';
import { hostBadDayRequirements } from './bad-days/host.js';
import { lostResponsesBadDayRequirements } from './bad-days/lost-responses.js';
import { soakBadDayRequirements } from './bad-days/soak.js';
import { storeFileBadDayRequirements } from './bad-days/store-file.js';
import { supervisionBadDayRequirements } from './bad-days/supervision.js';
import { timeBadDayRequirements } from './bad-days/time.js';
import { workersBadDayRequirements } from './bad-days/workers.js';
import { cliHostRequirements } from './cli-host.js';
import { codexRequirements } from './codex.js';
import { codexRealRequirements } from './codex-real.js';
import { eraRequirements } from './dialects/eras.js';
import { wireRequirements } from './dialects/eras-bad-input.js';
import { inlineRequirements } from './dialects/inline.js';
import { jobRequirements } from './dialects/jobs.js';
import { resultModeRequirements } from './dialects/result-modes.js';
import { streamRequirements } from './dialects/stream.js';
import { streamHostRequirements } from './dialects/stream-host.js';
import { tasks2025Requirements } from './dialects/tasks-2025.js';
import { tasks2026Requirements } from './dialects/tasks-2026.js';
import { uiPromptsRequirements } from './dialects/ui-prompts.js';
import { firstHourCliRequirements } from './first-hour/cli.js';
import { firstHourDocsRequirements } from './first-hour/docs.js';
import { firstHourFrameworksRequirements } from './first-hour/frameworks.js';
import { firstHourKeeperRequirements } from './first-hour/keeper.js';
import { firstHourMessagesRequirements } from './first-hour/messages.js';
import { badInputRequirements } from './foundation/bad-input.js';
import { cliRequirements } from './foundation/cli.js';
import { crashRequirements } from './foundation/crash.js';
import { engineRequirements } from './foundation/engine.js';
import { packageRequirements } from './foundation/package.js';
import { storeRequirements } from './foundation/store.js';
import { taskRequirements } from './foundation/task.js';
import { gatewayArtifactsRequirements } from './gateway/artifacts.js';
import { gatewayCallsRequirements } from './gateway/calls.js';
import { gatewayInstallRequirements } from './gateway/install.js';
import { gatewayMirrorRequirements } from './gateway/mirror.js';
import { gatewayProofsRequirements } from './gateway/proofs.js';
import { hostRequirements } from './host.js';
import { hostBehaviourRequirements } from './hosts/behaviour.js';
import { identityHostsRequirements } from './hosts/identity.js';
import { realHostRequirements } from './hosts/real.js';
import { hostsStartRequirements } from './hosts/start.js';
import { streamsHostsRequirements } from './hosts/streams.js';
import { hostTimeRequirements } from './hosts/times.js';
import { hostWordsRequirements } from './hosts/words.js';
import { monitorRequirements } from './monitor.js';
import { pluginRequirements } from './plugin.js';
import { postgresOperationsRequirements } from './postgres/operations.js';
import { postgresStoreRequirements } from './postgres/store.js';
import { roomsBusyRequirements } from './rooms/busy.js';
import { byHandRoomsRequirements } from './rooms/by-hand.js';
import { roomsCostRequirements } from './rooms/cost.js';
import { roomsDialectsHostRequirements } from './rooms/dialects-host.js';
import { roomsDialectsServerRequirements } from './rooms/dialects-server.js';
import { roomsHouseRequirements } from './rooms/house.js';
import { loopRequirements } from './rooms/loop.js';
import { optionsRoomsRequirements } from './rooms/options.js';
import { roomsQueueRequirements } from './rooms/queue.js';
import { roomsTypesRequirements } from './rooms/typed-tools.js';
import { sandboxLinkRequirements } from './sandbox/links.js';
import { sandboxPageRequirements } from './sandbox/page.js';
import { sandboxPanelRequirements } from './sandbox/panels.js';
import { sandboxServerRequirements } from './sandbox/server.js';
import { sandboxViewRequirements } from './sandbox/views.js';
import { codecSecurityRequirements } from './security/codec.js';
import { codexSecurityRequirements } from './security/codex.js';
import { fairSharesSecurityRequirements } from './security/fair-shares.js';
import { fileLogSecurityRequirements } from './security/file-log.js';
import { hostSecurityRequirements } from './security/host.js';
import { httpSecurityRequirements } from './security/http.js';
import { monitorSecurityRequirements } from './security/monitor.js';
import { peerInputSecurityRequirements } from './security/peer-input.js';
import { terminalSecurityRequirements } from './security/terminal.js';

/**
 * @typedef {object} Requirement
 * @property {string} id area and number; never given to another claim
 * @property {string} source where the claim was made: a part of the product, or a specification and its section
 * @property {string} claim
 * @property {string} [deviation] what is done instead, on purpose, and why; the test shows it and docs/protocol.md tells it
 * @property {{ file: string, title: string }} [test] where the proof is when no title can carry the id
 */

/** @type {readonly Requirement[]} */
export const requirements = [
  ...packageRequirements,
  ...taskRequirements,
  ...storeRequirements,
  ...engineRequirements,
  ...cliRequirements,
  ...crashRequirements,
  ...badInputRequirements,
  ...eraRequirements,
  ...wireRequirements,
  ...tasks2026Requirements,
  ...tasks2025Requirements,
  ...roomsDialectsServerRequirements,
  ...resultModeRequirements,
  ...loopRequirements,
  ...roomsTypesRequirements,
  ...monitorRequirements,
  ...hostRequirements,
  ...hostsStartRequirements,
  ...cliHostRequirements,
  ...roomsDialectsHostRequirements,
  ...inlineRequirements,
  ...hostWordsRequirements,
  ...jobRequirements,
  ...uiPromptsRequirements,
  ...codexRequirements,
  ...streamRequirements,
  ...pluginRequirements,
  ...postgresOperationsRequirements,
  ...postgresStoreRequirements,
  ...streamHostRequirements,
  ...codexRealRequirements,
  ...fileLogSecurityRequirements,
  ...codexSecurityRequirements,
  ...httpSecurityRequirements,
  ...peerInputSecurityRequirements,
  ...hostSecurityRequirements,
  ...terminalSecurityRequirements,
  ...monitorSecurityRequirements,
  ...fairSharesSecurityRequirements,
  ...codecSecurityRequirements,
  ...supervisionBadDayRequirements,
  ...workersBadDayRequirements,
  ...timeBadDayRequirements,
  ...crashesBadDayRequirements,
  ...storeFileBadDayRequirements,
  ...hostBadDayRequirements,
  ...lostResponsesBadDayRequirements,
  ...soakBadDayRequirements,
  ...chaosBadDayRequirements,
  ...hostTimeRequirements,
  ...identityHostsRequirements,
  ...realHostRequirements,
  ...hostBehaviourRequirements,
  ...streamsHostsRequirements,
  ...roomsHouseRequirements,
  ...roomsBusyRequirements,
  ...roomsCostRequirements,
  ...roomsQueueRequirements,
  ...byHandRoomsRequirements,
  ...optionsRoomsRequirements,
  ...firstHourCliRequirements,
  ...firstHourDocsRequirements,
  ...firstHourFrameworksRequirements,
  ...firstHourKeeperRequirements,
  ...firstHourMessagesRequirements,
  ...gatewayArtifactsRequirements,
  ...gatewayCallsRequirements,
  ...gatewayInstallRequirements,
  ...gatewayMirrorRequirements,
  ...gatewayProofsRequirements,
  ...sandboxPageRequirements,
  ...sandboxPanelRequirements,
  ...sandboxServerRequirements,
  ...sandboxLinkRequirements,
  ...sandboxViewRequirements,
];
