import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { perform, type Caller } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import { Problem } from '../../../base/problem.ts';
import type { Teller } from '../../kit/waiting.ts';
import { isOfOneMessage } from '../import/import-mail.ts';
import { changesSince, type Changes } from '../transfer/changes.ts';
import { fileSteps } from './file-steps.ts';
import { openJournal, type Entry, type Journal } from './journal.ts';
import { lockMaildir } from './lock.ts';
import { adopt, download, importLoose } from './new-messages.ts';
import { sharedFlags } from './merge.ts';
import { labelOf, reconcile, type OwnFiles } from './reconcile.ts';
import { pathOf, placeOf, scanMaildir, type LocalFile } from './scan.ts';
import { isOfOneFile, looseFiles, type Sync } from './sync-state.ts';

export interface SyncOutcome {
  readonly messages: number;
  /** what stays different until it can be made equal */
  readonly failed: readonly { readonly source: string; readonly message: string }[];
}

export interface SyncOptions extends Pick<Teller, 'report'> {
  /** called before every change of a file and at the server */
  readonly step?: () => void;
}

/**
 * Makes a Maildir and the mailbox of the caller equal. Every change is made so that a process can end before and after it: what it did not
 * write down, the next one finds.
 *
 * @throws Problem conflict MAILDIR_IN_USE, MAILDIR_OF_ANOTHER, and whatever would go wrong with every message
 */
export async function syncMaildir(
  caller: Caller,
  root: string,
  { report, step = () => {} }: SyncOptions,
): Promise<SyncOutcome> {
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o700 });
  await using _ = await lockMaildir(root);
  const { address } = await perform(caller, mail.listMailboxes, {});
  await using journal = await openJournal(root, address, step);
  const files = fileSteps(caller, root, step);
  await files.sweep();
  const { changed, removed, modseq } = await news(caller, journal);
  const all = await files.distinct(await scanMaildir(root));
  const byPlace = new Map(all.map((file) => [placeOf(file), file]));
  const known = [...journal.entries.values()].map((entry) => [entry, filesOf(entry, byPlace)] as const);
  const knownBefore = new Set(journal.entries.keys());
  const owned = new Set(known.flatMap(([, own]) => [...own.values()]));
  const failed: { source: string; message: string }[] = [];
  const loose = await looseFiles(
    root,
    all.filter((file) => !owned.has(file)),
    (file, { message }) => failed.push({ source: pathOf(root, file), message }),
  );
  // One of them may be the file of a message that was moved, which looks removed without it.
  const isBlind = failed.length > 0;
  const sync: Sync = { caller, root, journal, files, loose, changed, step };
  const trying = async (source: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      failed.push({ source, message: error.message });
    }
  };
  for (const [at, [entry, own]] of known.entries()) {
    report({ what: 'comparing messages', done: at, total: known.length });
    if (removed.has(entry.id)) {
      for (const file of own.values()) await files.remove(file);
      await journal.drop(entry.id);
    } else if (isBlind && own.size < Object.keys(entry.files).length) continue;
    else if (isTouched(sync, entry, own)) await trying(entry.id, async () => await reconcile(sync, entry, own));
  }
  await adopt(sync);
  // Those in folders come first, so that a message with files below labels too is one message with labels.
  const isLabelled = ({ directory }: LocalFile) => labelOf(directory) !== undefined;
  const fresh = [...loose.all().filter((file) => !isLabelled(file)), ...loose.all().filter(isLabelled)];
  for (const [at, file] of fresh.entries()) {
    report({ what: 'importing messages', done: at, total: fresh.length });
    await trying(pathOf(root, file), async () => await importLoose(sync, file));
  }
  // What was known at the beginning and is not any more was deleted just now.
  const missing = [...changed.values()].filter(({ id }) => !knownBefore.has(id) && !journal.entries.has(id));
  for (const [at, message] of missing.entries()) {
    report({ what: 'downloading messages', done: at, total: missing.length });
    await trying(message.id, async () => await download(sync, message));
  }
  // What failed is found again only if its change counts as unknown.
  if (failed.length === 0) await journal.finish(modseq);
  return { messages: journal.entries.size, failed };
}

/** What changed at the server. A server that was put back to an earlier state has lost messages; those in the Maildir are given to it again. */
async function news(caller: Caller, journal: Journal): Promise<Changes> {
  const changes = await changesSince(caller, journal.modseq);
  if (changes.modseq >= journal.modseq) return changes;
  const everything = await changesSince(caller, 0);
  for (const id of journal.entries.keys()) if (!everything.changed.has(id)) await journal.drop(id);
  return everything;
}

function filesOf(entry: Entry, byPlace: ReadonlyMap<string, LocalFile>): OwnFiles {
  const own: OwnFiles = new Map();
  for (const [directory, base] of Object.entries(entry.files)) {
    const file = byPlace.get(placeOf({ directory, base }));
    if (file !== undefined) own.set(directory, file);
  }
  return own;
}

/** Whether either side can differ from what was written down. */
function isTouched({ changed, loose }: Sync, entry: Entry, own: OwnFiles): boolean {
  if (entry.doomed === true || changed.has(entry.id) || own.size < Object.keys(entry.files).length) return true;

  return (
    [...own.values()].some((file) => sharedFlags(file.flags) !== entry.flags) || loose.withHash(entry.hash).length > 0
  );
}

/** What does not keep other messages from being made equal: the server refuses it, or another program changes the file at this moment. */
function isPassing(error: unknown): error is Error {
  if (isOfOneMessage(error)) return true;
  // A message that is damaged at the server is one of many.
  if (error instanceof Problem) return error.code.startsWith('EMAIL_');
  return isOfOneFile(error);
}
