import { createRequire } from 'node:module';

interface PackageFacts {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Reads this package's manifest. */
export function readPackage(): PackageFacts {
  return createRequire(import.meta.url)('../../package.json') as PackageFacts;
}

/** Returns the version of this package. */
export function readVersion(): string {
  return readPackage().version;
}
