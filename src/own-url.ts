import { pathToFileURL } from 'node:url';

/** Where this package lies: the address of this file, or of the bundle that it has become a part of. */
// Bundles in the form of CommonJS have no address; they are the program itself, as far as anybody can tell.
export const ownUrl: string = (import.meta.url as string | undefined) ?? pathToFileURL(process.argv[1] ?? '.').href;
