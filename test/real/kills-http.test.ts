import { describeKills } from '../e2e/describe-kills.ts';

describeKills('http');
