import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../../base/problem.ts';
import { unwritable } from '../../kit/body-files.ts';
import { lockFolder } from '../../kit/lock-folder.ts';
import { differentNames, safeFileName } from '../../mail/safe-name.ts';
import { putJson, readJson, unfinished } from './own-files.ts';

/** At the top of an export: whose it is. */
const headName = 'export.json';
/** In the folder of each conversation. */
export const factsName = 'conversation.json';
const format = 'conclave-chat-export';
/** A folder that gets its name when it says what it is for. */
const beginning = /^\.new-[0-9a-f]{32}$/;

const headForm = v.object({ format: v.literal(format), version: v.literal(1), memberId: v.string() });
const factsForm = v.object({ id: v.string() });

export interface Owner {
  readonly memberId: string;
  readonly username: string;
  readonly server: string;
}

/** A folder with a folder for each conversation. No other process writes into it. */
export interface ExportFolder extends AsyncDisposable {
  /**
   * The folder of a conversation: that of an earlier run, or a new one.
   * @param facts what `conversation.json` says of it in the beginning
   * @returns its name
   */
  folderFor(conversation: { readonly id: string; readonly title: string }, facts: object): Promise<string>;
}

/**
 * Opens an export of a member, or begins one in a new or empty folder.
 * @throws Problem conflict FILE_EXISTS for a folder with something else, EXPORT_OF_ANOTHER, EXPORT_IN_USE; invalid OUTPUT_UNWRITABLE
 */
export async function openExport(path: string, owner: Owner): Promise<ExportFolder> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await assertOurs(path, owner);
    // Before the lock, which puts a file of its own there: a folder with that alone would be nobody's.
    await putJson(path, headName, { format, version: 1, ...owner });
    const message = `Another process exports into ${path}. Try again when it has ended.`;
    const lock = await lockFolder(path, 'conclave chat export', { code: 'EXPORT_IN_USE', message });
    try {
      return await exportIn(path, lock);
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function assertOurs(path: string, { memberId }: Owner): Promise<void> {
  const head = await readJson(join(path, headName), headForm);
  if (head === undefined) {
    if ((await readdir(path)).every((name) => unfinished.test(name))) return;
    const message = `${path} has other files and is no export of conversations. Nothing was changed. Choose a new folder with --to.`;
    throw new Problem('conflict', 'FILE_EXISTS', message);
  }
  if (head.memberId === memberId) return;
  const message = `${path} has the conversations of another account. Nothing was changed. Choose a new folder with --to.`;
  throw new Problem('conflict', 'EXPORT_OF_ANOTHER', message);
}

async function exportIn(path: string, lock: AsyncDisposable): Promise<ExportFolder> {
  const known = new Map<string, string>();
  const names: string[] = [];
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const isFolder = entry.isDirectory();
    // What a run had begun that was killed has nothing but the file that says what it is for.
    if (isFolder && beginning.test(entry.name)) await rm(join(path, entry.name), { recursive: true, force: true });
    else names.push(entry.name);
    const facts = isFolder ? await readJson(join(path, entry.name, factsName), factsForm) : undefined;
    if (facts !== undefined) known.set(facts.id, entry.name);
  }
  return {
    async folderFor({ id, title }, facts) {
      const before = known.get(id);
      if (before !== undefined) return before;
      const name = differentNames([...names, safeFileName(title, id)]).at(-1) ?? id;
      const target = join(path, name);
      const temporary = join(path, `.new-${id}`);
      try {
        await mkdir(temporary, { mode: 0o700 });
        await putJson(temporary, factsName, facts);
        // The system would replace an empty folder without a word.
        if ((await stat(target).catch(() => undefined)) !== undefined)
          throw new Problem('conflict', 'FILE_EXISTS', `${target} exists already. It was not changed.`);
        await rename(temporary, target);
      } catch (error) {
        throw unwritable(target, error);
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
      names.push(name);
      known.set(id, name);
      return name;
    },
    [Symbol.asyncDispose]: async () => await lock[Symbol.asyncDispose](),
  };
}
