import { homedir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import { saveUnderOwnName } from '../save-attachment.ts';
import { sealedFile } from '../sealed/finding-files.ts';
import { saveSealed } from '../sealed/save-sealed.ts';
import type { Desk } from './desk.ts';
import { isSocial, type Command, type Place } from './state.ts';

/** Saves a file of a message under its own name. Nothing is overwritten. @returns what to tell the person */
export async function saveAttachment(desk: Desk, place: Place, { words, message }: Command): Promise<string> {
  const all = message?.attachments ?? [];
  const [first = '', ...others] = words.split(/\s+/);
  const named = all.find(({ id }) => /^[0-9a-f]{8,32}$/i.test(first) && id.startsWith(first.toLowerCase()));
  const isId = named !== undefined || message?.id.startsWith(first.toLowerCase()) === true;
  const folder = folderNamed(first !== '' && isId ? others.join(' ') : words) || '.';
  const [file] = named === undefined ? all : [named];
  if (file === undefined) throw new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'This message has no file.');
  const sealed = isSocial(place) ? undefined : await sealedFile(desk.side, file.id);
  const path =
    sealed === undefined
      ? await saveUnderOwnName(desk.client, file.id, folder)
      : await saveSealed({ ...desk.side, terminal: desk.silent }, sealed, { dir: folder });
  const more = all.length > 1 && named === undefined ? ` It has ${all.length} files: /save ID` : '';
  return `Wrote ${path}.${more}`;
}

/** The folder that somebody means who writes `~`. */
export function folderNamed(text: string): string {
  return text === '~' || text.startsWith('~/') ? join(homedir(), text.slice(1)) : text;
}
