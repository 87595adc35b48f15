import { stat } from 'node:fs/promises';
import { perform } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import type { Folder } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { directoryOf, mailboxIn, type Mailbox } from '../files/maildir-folders.ts';
import { stateOfFlags } from '../files/maildir.ts';
import { importMessage } from '../import/import-mail.ts';
import { patiently } from '../transfer/patience.ts';
import type { Entry } from './journal.ts';
import { changedFlags, changeOf, merged, stateAtServer, type State } from './merge.ts';
import { messageOctets, pathOf, type LocalFile } from './scan.ts';
import type { Sync } from './sync-state.ts';

/** The files of a message, by the folder of the Maildir that they are in. */
export type OwnFiles = Map<string, LocalFile>;

/** Makes both sides of a message equal that both had before. */
export async function reconcile(sync: Sync, entry: Entry, own: OwnFiles): Promise<void> {
  const { changed, loose, journal } = sync;
  const message = changed.get(entry.id);
  if (entry.doomed === true) return await removeAtServer(sync, entry, own);
  const folderNow = takeMoved(sync, entry, own);
  const server = message === undefined ? entry : stateAtServer(message);
  // A copy below a label that is new says nothing of the flags.
  const before = [...own.values()];
  const labels = takeLabelled(sync, entry, own);
  const telling = (before.length > 0 ? before : [...own.values()]).map(({ flags }) => flags);
  const folder = folderNow === 'removed' ? entry.folder : folderNow;
  const local: State = { folder, labels, flags: changedFlags(entry.flags, telling) };
  if (folderNow === 'removed' && server.folder === entry.folder) return await removeAtServer(sync, entry, own);
  const wanted = merged(entry, local, server);
  try {
    await changeAtServer(sync, entry.id, server, wanted);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'EMAIL_FOLDER_REFUSED') throw error;
    return await replaceMoved(sync, entry, own, wanted, error);
  }
  await placeFiles(sync, entry, own, wanted);
  const next = { ...entry, ...wanted, files: namesOf(own) };
  if (JSON.stringify(next) !== JSON.stringify(entry)) await journal.put(next);
  for (const file of own.values()) loose.take(file);
}

/** Where the message is now in the Maildir. A file that was moved is then one of its own. */
function takeMoved({ loose }: Sync, entry: Entry, own: OwnFiles): Folder | 'removed' {
  const before = directoryOf(entry);
  if (own.has(before)) return entry.folder;
  const others = loose.withHash(entry.hash);
  const same = others.find(({ directory }) => directory === before);
  const inFolder = same ?? others.find(({ directory }) => folderOf(directory) !== undefined);
  if (inFolder !== undefined) {
    own.set(inFolder.directory, inFolder);
    loose.take(inFolder);
    return folderOf(inFolder.directory) ?? entry.folder;
  }
  // Who moves a message from a folder to a label keeps it.
  if (others.length > 0) return 'archive';
  return entry.folder === 'trash' ? 'removed' : 'trash';
}

/** The labels that the message has now in the Maildir. */
function takeLabelled({ loose }: Sync, entry: Entry, own: OwnFiles): string[] {
  for (const file of loose.withHash(entry.hash)) {
    if (labelOf(file.directory) === undefined || own.has(file.directory)) continue;
    own.set(file.directory, file);
    loose.take(file);
  }
  return [...own.keys()].flatMap((directory) => labelOf(directory) ?? []);
}

async function changeAtServer({ caller, step }: Sync, id: string, from: State, to: State): Promise<void> {
  const change = changeOf(from, to);
  if (change === undefined) return;
  step();
  await patiently(() => perform(caller, mail.changeMessage, { messageId: id, ...change }));
}

/** The server moves nothing into or out of drafts, so the message becomes a new one there, and the old one goes. */
async function replaceMoved(sync: Sync, entry: Entry, own: OwnFiles, wanted: State, refused: Problem): Promise<void> {
  const { caller, root, journal, step } = sync;
  const file = own.get(directoryOf(wanted));
  if (file === undefined) throw refused;
  const path = pathOf(root, file);
  step();
  const { id } = await importMessage(caller, {
    folder: wanted.folder,
    state: stateOfFlags(wanted.flags),
    receivedAt: (await stat(path)).mtimeMs,
    unlessPresent: true,
    pieces: () => messageOctets(path),
  });
  await changeAtServer(sync, id, { ...wanted, labels: [] }, wanted);
  const next: Entry = { ...entry, ...wanted, id };
  await placeFiles(sync, next, own, wanted);
  const doomed: Entry = { ...entry, doomed: true, files: {} };
  await journal.put(doomed, { ...next, files: namesOf(own) });
  await removeAtServer(sync, doomed, new Map());
}

async function removeAtServer({ caller, files, journal, step }: Sync, entry: Entry, own: OwnFiles): Promise<void> {
  step();
  await patiently(() => perform(caller, mail.removeMessage, { messageId: entry.id })).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'EMAIL_NOT_FOUND') throw error;
  });
  for (const file of own.values()) await files.remove(file);
  await journal.drop(entry.id);
}

/** Makes the files those of a state: first what comes, then what goes, so that there is always one. */
export async function placeFiles(sync: Sync, entry: Entry, own: OwnFiles, wanted: State): Promise<void> {
  const { files, changed } = sync;
  const targets = directoriesOf(wanted);
  const [home = ''] = targets;
  const before = own.get(directoryOf(entry));
  if (!own.has(home) && before !== undefined && !targets.includes(before.directory)) {
    own.delete(before.directory);
    own.set(home, await files.move(before, home, wanted.flags));
  }
  for (const directory of targets) {
    if (own.has(directory)) continue;
    const [source] = own.values();
    if (source !== undefined) own.set(directory, await files.copy(source, directory));
    else own.set(directory, await files.download(await described(sync, entry, changed), directory, wanted.flags));
  }
  for (const [directory, file] of own) {
    if (targets.includes(directory)) own.set(directory, await files.move(file, directory, wanted.flags));
    else {
      await files.remove(file);
      own.delete(directory);
    }
  }
}

async function described({ caller }: Sync, { id }: Entry, changed: Sync['changed']) {
  const known = changed.get(id);
  if (known !== undefined) return known;
  return await patiently(() => perform(caller, mail.showMessage, { messageId: id }));
}

/** The folders of the Maildir that a message is in. That of its folder comes first. */
export function directoriesOf({ folder, labels }: State): string[] {
  return [{ folder }, ...labels.map((label) => ({ label }))].map((mailbox: Mailbox) => directoryOf(mailbox));
}

export function namesOf(own: OwnFiles): Record<string, string> {
  const names = [...own].map(([directory, { base }]) => [directory, base] as const);
  return Object.fromEntries(names.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function folderOf(directory: string): Folder | undefined {
  const mailbox = mailboxIn(directory);
  return mailbox !== undefined && 'folder' in mailbox ? mailbox.folder : undefined;
}

export function labelOf(directory: string): string | undefined {
  const mailbox = mailboxIn(directory);
  return mailbox !== undefined && 'label' in mailbox ? mailbox.label : undefined;
}
