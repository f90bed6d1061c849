import { pathToFileURL } from 'node:url';

/** The location of this package: the URL of this file, or of the bundle that contains it. */
// CommonJS bundles have no `import.meta.url`; they are taken to be the program itself.
export const ownUrl: string = (import.meta.url as string | undefined) ?? pathToFileURL(process.argv[1] ?? '.').href;
