/** The kills of test/host/keeper, over HTTP. */
import { describeKills, NEWER_HTTP, OLDER_HTTP } from '../../host/keeper/describe-kills.ts';

describeKills(NEWER_HTTP);
describeKills(OLDER_HTTP);
