import { describe, it } from 'vitest';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { describeStore } from '../../src/testing/store-contract.ts';

describeStore('[STORE-02] the memory store', async (clock) => createMemoryStore({ clock }), { describe, it });
