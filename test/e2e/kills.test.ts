import { describeKills } from './describe-kills.ts';

describeKills('stdio');
