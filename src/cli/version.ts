import { createRequire } from 'node:module';

interface PackageFacts {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What the manifest of this package says. */
export function readPackage(): PackageFacts {
  return createRequire(import.meta.url)('../../package.json') as PackageFacts;
}

/** The version of this package. */
export function readVersion(): string {
  return readPackage().version;
}
