import { differentNames, safeFileName } from '../../mail/safe-name.ts';

/**
 * Names for things of a server in one folder of this machine. They are never a path and never a device, have nothing that a terminal takes
 * for a command, and no two differ in case alone. Unlike attachments, files may be hidden: `.gitignore` stays what it is.
 */
export function localNames(things: readonly { readonly name: string; readonly id: string }[]): string[] {
  return differentNames(things.map(({ name, id }) => localName(name, id)));
}

/** Parts of files, and what is being moved: a file of a server that has such a name must not be taken for one. */
export const transit = /^\.conclave-(?<id>[0-9a-f]{32})\.(?:part(?:\.log(?:\.[0-9a-f]+)?|\.[0-9a-f]+)?|moving)$/;

export function localName(name: string, id: string): string {
  const safe = safeFileName(name, id);
  if (transit.test(`.${safe}`)) return `_${safe}`;
  return /^\.[^.\s/\\]/.test(name) && !safe.startsWith('_') ? `.${safe}` : safe;
}
