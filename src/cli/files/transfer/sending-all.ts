import { collectPages } from '../../../client/pages.ts';
import type { Caller } from '../../../client/perform.ts';
import type { FileDetail, FileItem, Folder } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Progress } from '../../kit/waiting.ts';
import { parentOf, pathText, type RemotePath } from '../paths.ts';
import { folderAt, placeIfThere } from '../places.ts';
import { plainly, type Ciphers } from '../ciphers.ts';
import type { Failures } from './outcome.ts';
import { isFinal, persistently, type Patience } from './patience.ts';
import { nameKey, remoteFolders } from './remote-folders.ts';
import type { Content } from './outgoing.ts';
import { sendFile } from './sending.ts';
import { eachOf, slots, type Moved } from './slots.ts';

/** Where things go: into a folder, and perhaps under another name. */
export interface Target {
  readonly folder: Pick<Folder, 'id' | 'vaultContainerId'>;
  readonly rename: string | undefined;
}

/**
 * One thing may get another name; several go into a folder that is there.
 * @throws Problem invalid USAGE, missing FOLDER_NOT_FOUND
 */
export async function targetOf(caller: Caller, to: RemotePath, count: number): Promise<Target> {
  const there = await placeIfThere(caller, to);
  if (there?.file === null) return { folder: there.folder, rename: undefined };
  if (count !== 1) {
    const place = JSON.stringify(pathText(to));
    throw new Problem('invalid', 'USAGE', `${place} is no folder. Create it with: conclave files mkdir`);
  }
  if (there !== undefined) return { folder: there.folder, rename: there.file?.name };
  const { folder, name } = parentOf(to);
  return { folder: await folderAt(caller, folder), rename: name };
}

/** Content, and where it goes below the target. */
export interface Item {
  readonly content: Content;
  readonly below: readonly string[];
  readonly name: string;
  readonly mimeType?: string;
}

export interface SendingAll extends Patience {
  readonly caller: Caller;
  readonly target: Target;
  readonly items: readonly Item[];
  /** folders that are made even if nothing goes into them */
  readonly folders: readonly (readonly string[])[];
  readonly failures: Failures;
  /** sends what is there already, too */
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly ciphers?: Ciphers;
  readonly report: (progress: Progress) => void;
}

export interface Sent {
  readonly stored: FileDetail[];
  /** what the server has now, whether it was sent or was there */
  readonly files: { readonly label: string; readonly file: FileItem }[];
  /** labels of what the server has with the same size and time */
  readonly present: string[];
  /** labels of what would be sent */
  readonly planned: string[];
}

/** Sends files, with one bar for all of them. What fails is written down, and the others go on; a lost server ends it. */
export async function sendAll(options: SendingAll): Promise<Sent> {
  const { caller, items, failures, signal, dryRun, force, report, ciphers = plainly } = options;
  const sent: Sent = { stored: [], files: [], present: [], planned: [] };
  const folders = remoteFolders(caller, options.target.folder, !dryRun, options);
  const taken = new Set<string>();
  const open = await persistently(() => collectPages(caller, filevault.listUploads, {}, 'uploads'), options);
  const total = items.reduce((sum, { content }) => sum + content.size, 0);
  let [done, before] = [0, 0];
  const moved: Moved = (bytes, wasThere = false) => {
    done += bytes;
    if (wasThere) before += bytes;
    report({ what: 'sending', done, before, total, unit: 'bytes' });
  };
  const sending = { ...options, open: open.items, moved, ciphers, slots: slots() };
  const each = async <T>(list: Iterable<T>, labelOf: (one: T) => string, work: (one: T) => Promise<void>) =>
    await eachOf(list, async (one) => {
      signal?.throwIfAborted();
      try {
        await work(one);
      } catch (error) {
        if (signal?.aborted === true || isFinal(error)) throw error;
        failures.add(labelOf(one), error);
      }
    });
  for (const below of dryRun ? [] : options.folders) {
    signal?.throwIfAborted();
    await folders.at(below).catch((error: unknown) => {
      if (isFinal(error)) throw error;
      failures.add(below.join('/'), error);
    });
  }
  await each(
    items,
    ({ content }) => content.label,
    async ({ content, below, name, mimeType }) => {
      const key = [...below, name].map(nameKey).join('/');
      if (taken.has(key)) throw sameName(name);
      taken.add(key);
      const there = await folders.at(below);
      const file = there?.names.files.get(nameKey(name));
      if (!force && file !== undefined && file.sizeBytes === content.size && isTime(file.modifiedAt, content)) {
        sent.present.push(content.label);
        sent.files.push({ label: content.label, file });
        moved(content.size, true);
        return;
      }
      if (dryRun || there === undefined) {
        sent.planned.push(content.label);
        return;
      }
      const to = { name, folder: there.folder, replaces: file?.id, ...(mimeType !== undefined && { mimeType }) };
      const stored = await sendFile(sending, { ...content, ...to });
      sent.stored.push(stored);
      sent.files.push({ label: content.label, file: stored });
    },
  );
  return sent;
}

function sameName(name: string): Problem {
  const words = `Another file of this command is called ${JSON.stringify(name)}, too. Send it to another folder.`;
  return new Problem('conflict', 'NAME_TAKEN', words);
}

function isTime(said: string, { modifiedAt }: Content): boolean {
  return Date.parse(said) === modifiedAt;
}
