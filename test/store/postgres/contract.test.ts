import { describe, it } from 'vitest';
import { describeStore } from '../../../src/testing/store-contract.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

describeStore('[PG-101] the PostgreSQL store', (clock) => scratch.openEmpty({ clock }), { describe, it });
