import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is the directory or is inside it. Both are absolute, without links. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}
