import { copyFile, link, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../client/perform.ts';
import { toLf } from '../files/line-ends.ts';
import { idInBase, maildirBase } from '../files/maildir.ts';
import type { ServerMessage } from '../transfer/changes.ts';
import { writeMessage } from '../transfer/message-file.ts';
import { makeDirectory, pathOf, placeOf, type LocalFile } from './scan.ts';
import { sharedFlags } from './merge.ts';

/** Changes of files in a Maildir. What they return is on the disk. */
export interface FileSteps {
  move(file: LocalFile, directory: string, flags: string): Promise<LocalFile>;
  /** gives a file a second place */
  copy(file: LocalFile, directory: string): Promise<LocalFile>;
  remove(file: LocalFile): Promise<void>;
  download(message: ServerMessage, directory: string, flags: string): Promise<LocalFile>;
  /** Gives files that differ in nothing but flags names of their own. @returns all files, as they are now */
  distinct(files: readonly LocalFile[]): Promise<LocalFile[]>;
  /** removes what a dead process left */
  sweep(): Promise<void>;
}

/** @param step called before every change */
export function fileSteps(caller: Caller, root: string, step: () => void): FileSteps {
  // A name is given once, whatever flags the file that has it gets.
  const taken = new Set<string>();
  const place = async (base: string, directory: string, flags: string, part: LocalFile['part'], from?: LocalFile) => {
    await makeDirectory(root, directory);
    for (let count = 0; ; count += 1) {
      const own = count === 0 ? base : `${base}_${count}`;
      const name = part === 'new' ? own : `${own}:2,${flags}`;
      const file: LocalFile = { directory, part, base: own, flags, name };
      const isOwn = from !== undefined && placeOf(from) === placeOf(file);
      if (taken.has(placeOf(file)) && !isOwn) continue;
      if ((await stat(pathOf(root, file)).catch(() => undefined)) !== undefined) continue;
      taken.add(placeOf(file));
      return file;
    }
  };
  const settle = async (...directories: readonly string[]) => {
    for (const one of new Set(directories)) await syncDirectory(one);
  };
  const folderOf = ({ directory, part }: LocalFile) => join(root, directory, part);
  const moveTo = async (file: LocalFile, target: LocalFile) => {
    step();
    await rename(pathOf(root, file), pathOf(root, target));
    await settle(folderOf(file), folderOf(target));
    return target;
  };
  return {
    async move(file, directory, flags) {
      const letters = withShared(file.flags, flags);
      // Other programs know a file by its name, so it keeps it wherever it can.
      if (directory === file.directory && sharedFlags(file.flags) === sharedFlags(flags)) return file;
      const part = file.part === 'new' && letters === '' ? 'new' : 'cur';
      return await moveTo(file, await place(file.base, directory, letters, part, file));
    },
    async copy(file, directory) {
      const target = await place(file.base, directory, file.flags, file.part);
      step();
      try {
        await link(pathOf(root, file), pathOf(root, target));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
        const temporary = join(root, 'tmp', target.base);
        await copyFile(pathOf(root, file), temporary);
        await syncFile(temporary);
        step();
        await rename(temporary, pathOf(root, target));
      }
      await settle(folderOf(target));
      return target;
    },
    async remove(file) {
      step();
      await rm(pathOf(root, file), { force: true });
      await settle(folderOf(file));
    },
    async download(message, directory, flags) {
      const base = maildirBase(Date.parse(message.receivedAt), message.id);
      const letters = withShared(message.keywords.includes('$draft') ? 'D' : '', flags);
      const temporary = join(root, 'tmp', base);
      step();
      await writeMessage(caller, message.id, temporary, () => [toLf()]);
      await utimes(temporary, new Date(), new Date(message.receivedAt));
      // What is new to people has no flags.
      const target = await place(base, directory, letters, letters === '' ? 'new' : 'cur');
      step();
      await rename(temporary, pathOf(root, target));
      await settle(folderOf(target));
      return target;
    },
    async distinct(files) {
      const all: LocalFile[] = [];
      for (const file of files) {
        const { base, directory, flags, part } = file;
        const isSecond = taken.has(placeOf(file));
        taken.add(placeOf(file));
        all.push(isSecond ? await moveTo(file, await place(base, directory, flags, part)) : file);
      }
      return all;
    },
    async sweep() {
      for (const name of await readdir(join(root, 'tmp')))
        if (idInBase(name) !== undefined) await rm(join(root, 'tmp', name));
    },
  };
}

/** Letters that only this machine knows stay. */
function withShared(own: string, shared: string): string {
  return `${own.replaceAll(/[FPRS]/g, '')}${sharedFlags(shared)}`.split('').toSorted().join('');
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

/** A name in a folder is on the disk when the folder is. Windows has no such thing. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}
