/** Tools for testing tools, engines and stores. */

export type { HoldTask } from './contract/shared/pair.ts';
export { armCrashPoint, type CrashOptions, type CrashPointRecording, recordCrashPoints } from './crash.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { describeSharedStore, type OpenTwo } from './shared-store-contract.ts';
export { describeStore, type OpenStore, type StoreCase, storeContract, type TestRunner } from './store-contract.ts';
export { type Seen, type StatusSource, type UntilOptions, until, untilStatus } from './until.ts';
