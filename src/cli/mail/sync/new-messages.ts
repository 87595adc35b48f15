import { stat } from 'node:fs/promises';
import { perform } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import { directoryOf } from '../files/maildir-folders.ts';
import { idInBase, stateOfFlags } from '../files/maildir.ts';
import { importMessage } from '../import/import-mail.ts';
import type { ServerMessage } from '../transfer/changes.ts';
import { patiently } from '../transfer/patience.ts';
import type { Entry } from './journal.ts';
import { commonFlags, sharedFlags, stateAtServer } from './merge.ts';
import { directoriesOf, folderOf, labelOf, namesOf, placeFiles, reconcile, type OwnFiles } from './reconcile.ts';
import { hashOf, messageOctets, pathOf, type LocalFile } from './scan.ts';
import type { Sync } from './sync-state.ts';

/** Messages that were downloaded before a process died are known by the names of their files. */
export async function adopt(sync: Sync): Promise<void> {
  const { changed, journal, loose } = sync;
  for (const file of loose.all()) {
    const message = changed.get(idInBase(file.base) ?? '');
    if (message === undefined || !loose.has(file) || journal.entries.has(message.id)) continue;
    const hash = loose.hashOf(file);
    const server = stateAtServer(message);
    const places = directoriesOf(server);
    const same = loose.withHash(hash).filter(({ base, directory }) => base === file.base && places.includes(directory));
    const own: OwnFiles = new Map(same.map((one) => [one.directory, one]));
    for (const one of own.values()) loose.take(one);
    const [home = ''] = places;
    const labels = server.labels.filter((label) => own.has(directoryOf({ label })));
    const flags = same.reduce((so, one) => commonFlags(so, one.flags), server.flags);
    const entry: Entry = {
      id: message.id,
      folder: server.folder,
      labels,
      flags,
      hash,
      files: { [home]: file.base, ...namesOf(own) },
    };
    await journal.put(entry);
    await reconcile(sync, entry, own);
  }
}

/** Gives a file that only the Maildir has to the server. Its message takes the files below labels that are the same. */
export async function importLoose(sync: Sync, file: LocalFile): Promise<void> {
  const { caller, root, loose, files, journal, changed, step } = sync;
  // The message before it can have been the same one, and this its second place.
  if (!loose.has(file)) return;
  const path = pathOf(root, file);
  const hash = loose.hashOf(file);
  const label = labelOf(file.directory);
  const known = journal.withHash(hash);
  // The same message twice in one place is one message.
  if (known.some((entry) => file.directory in entry.files)) return await files.remove(file);
  // A file below a label belongs to the message that has it already. This could not be done now, so it waits for the next time.
  const isInFolder = loose.withHash(hash).some(({ directory }) => folderOf(directory) !== undefined);
  if (label !== undefined && (known.length > 0 || isInFolder)) return;
  const folder = folderOf(file.directory) ?? 'archive';
  const flags = sharedFlags(file.flags);
  step();
  const { id, imported } = await importMessage(caller, {
    folder,
    label,
    state: stateOfFlags(flags),
    receivedAt: (await stat(path)).mtimeMs,
    unlessPresent: true,
    pieces: () => messageOctets(path),
  });
  if (label !== undefined && !imported) {
    step();
    await patiently(() => perform(caller, mail.changeMessage, { messageId: id, addLabels: [label] }));
  }
  const message = changed.get(id);
  const server = message && stateAtServer(message);
  const own: OwnFiles = new Map([[file.directory, file]]);
  const state = {
    folder,
    labels: label === undefined ? [] : [label],
    flags: server === undefined ? flags : commonFlags(flags, server.flags),
  };
  const entry: Entry = { ...state, id, hash, files: namesOf(own) };
  await placeFiles(sync, entry, own, { ...state, flags });
  const whole = { ...entry, files: namesOf(own) };
  await journal.put(whole);
  loose.take(file);
  if (server !== undefined || loose.withHash(hash).length > 0) await reconcile(sync, whole, own);
}

/** Writes a message that only the server has. */
export async function download(sync: Sync, message: ServerMessage): Promise<void> {
  const { root, journal, files } = sync;
  const state = stateAtServer(message);
  const [home = '', ...others] = directoriesOf(state);
  const file = await files.download(message, home, state.flags);
  const own: OwnFiles = new Map([[home, file]]);
  for (const directory of others) own.set(directory, await files.copy(file, directory));
  const hash = await hashOf(pathOf(root, file));
  await journal.put({ ...state, id: message.id, hash, files: namesOf(own) });
}
