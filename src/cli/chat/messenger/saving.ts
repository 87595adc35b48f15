import { homedir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../../base/problem.ts';
import type { FullScreen } from '../../kit/full-screen.ts';
import type { Viewed } from '../../kit/preview/content.ts';
import { saveUnderOwnName } from '../save-attachment.ts';
import { sealedFile } from '../sealed/finding-files.ts';
import { saveSealed } from '../sealed/save-sealed.ts';
import type { Desk } from './desk.ts';
import { isSocial, type Command, type Place } from './state.ts';

/** Saves a file of a message under its own name. Nothing is overwritten. @returns what to tell the person */
export async function saveAttachment(desk: Desk, place: Place, command: Command): Promise<string> {
  const { file, rest, others } = fileMeant(command);
  const folder = folderNamed(rest) || '.';
  const sealed = isSocial(place) ? undefined : await sealedFile(desk.side, file.id);
  const path =
    sealed === undefined
      ? await saveUnderOwnName(desk.client, file.id, folder)
      : await saveSealed({ ...desk.side, terminal: desk.silent }, sealed, { dir: folder });
  const more = others > 0 ? ` It has ${others + 1} files: /save ID` : '';
  return `Wrote ${path}.${more}`;
}

/** Shows a file of a message on the whole screen until the person goes back. @returns what to tell them */
export async function showAttachment(full: FullScreen, { side }: Desk, command: Command): Promise<string> {
  const { id, filename: name, size, mimeType: type } = fileMeant(command).file;
  const [{ savingAttachment, viewedAttachment }, { showPreview }] = await Promise.all([
    import('../view-attachment.ts'),
    import('../../kit/preview/screen.ts'),
  ]);
  const file: Viewed = {
    name,
    size,
    type,
    read: async (take, signal) => await (await viewedAttachment(side, id, signal)).read(take),
  };
  return await showPreview(full, file, savingAttachment(id));
}

/**
 * The file that a command is about: the one whose id it begins with, or the first of the message.
 * @returns with what follows the id, and how many other files are meant as well
 * @throws Problem missing ATTACHMENT_NOT_FOUND
 */
function fileMeant({ words, message }: Command) {
  const all = message?.attachments ?? [];
  const [first = '', ...more] = words.split(/\s+/);
  const named = all.find(({ id }) => /^[0-9a-f]{8,32}$/i.test(first) && id.startsWith(first.toLowerCase()));
  const isId = named !== undefined || message?.id.startsWith(first.toLowerCase()) === true;
  const [file] = named === undefined ? all : [named];
  if (file === undefined) throw new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'This message has no file.');
  return {
    file,
    rest: first !== '' && isId ? more.join(' ') : words,
    others: named === undefined ? all.length - 1 : 0,
  };
}

/** The folder that somebody means who writes `~`. */
export function folderNamed(text: string): string {
  return text === '~' || text.startsWith('~/') ? join(homedir(), text.slice(1)) : text;
}
