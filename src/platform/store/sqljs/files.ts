import { constants, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { createDatabaseFlush } from './database-flush.ts';
import { codeOf, type Disk } from './disk.ts';
import { gatherWrites, type GatheredWrites } from './gathered-writes.ts';

/** The folder under which SQLite sees the data directory. Other paths (temporary files) stay in memory. */
export const storeFolder = '/store';

/** Above all descriptors that Emscripten gives to its files in memory. */
const firstDescriptor = 1 << 20;

/** musl's values for wasm32. They are Linux's on most machines, but the host's values may differ. */
const flag = { write: 0o1, readWrite: 0o2, create: 0o100, exclusive: 0o200, truncate: 0o1000 } as const;

export interface OpenFile {
  readonly fd: number;
  /** outside of SQLite */
  readonly path: string;
  readonly isFolder: boolean;
  /** of the log alone */
  readonly gathered: GatheredWrites | undefined;
  position: number;
}

/** The files of one data directory, as SQLite uses them. Every method throws the errors of node:fs. */
export interface Files {
  owns(path: string): boolean;
  file(descriptor: number): OpenFile | undefined;
  open(path: string, flags: number): number;
  close(descriptor: number): void;
  sync(file: OpenFile): void;
  /** Comes before the log is written from its beginning or shortened. */
  beforeLogIsLost(): void;
  /** Runs the commit of a transaction. If a checkpoint follows it, the flush with which that ends takes place beside the event loop. */
  committing(commit: () => void): void;
  stat(path: string): Stats;
  access(path: string, mode: number): void;
  unlink(path: string): void;
  closeAll(): void;
  readonly disk: Disk;
  /** node's code of the newest write fault; it tells a full disk from a broken one when SQLite reports both alike */
  lastFault: string | undefined;
}

export function openFiles(dataDir: string, disk: Disk): Files {
  const open = new Map<number, OpenFile>();
  const databaseFlush = createDatabaseFlush(disk);
  let nextDescriptor = firstDescriptor;
  let isCommitting = false;
  const isFolder = (path: string): boolean => path === storeFolder;
  const real = (path: string): string => (isFolder(path) ? dataDir : join(dataDir, basename(path)));

  /** SQLite flushes the folder after it has made a log or journal, because only then their names are durable. */
  function syncFolder(fd: number): void {
    try {
      disk.fsyncSync(fd);
    } catch (error) {
      // Windows and some network file systems can't flush a folder; they order changes of names themselves.
      if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EBADF'].includes(codeOf(error))) throw error;
    }
  }

  return {
    disk,
    lastFault: undefined,
    owns: (path) => path === storeFolder || path.startsWith(`${storeFolder}/`),
    file: (descriptor) => open.get(descriptor),
    open(path, flags) {
      const hostFlags =
        ((flags & flag.readWrite) !== 0 ? constants.O_RDWR : 0) |
        ((flags & flag.write) !== 0 ? constants.O_WRONLY : 0) |
        ((flags & flag.create) !== 0 ? constants.O_CREAT : 0) |
        ((flags & flag.exclusive) !== 0 ? constants.O_EXCL : 0) |
        ((flags & flag.truncate) !== 0 ? constants.O_TRUNC : 0);
      const place = real(path);
      const fd = disk.openSync(place, hostFlags, 0o600);
      const descriptor = nextDescriptor++;
      const gathered = path.endsWith('-wal') ? gatherWrites(fd, disk) : undefined;
      open.set(descriptor, { fd, path: place, isFolder: isFolder(path), gathered, position: 0 });
      return descriptor;
    },
    // What was gathered of a transaction that did not end is dropped.
    close(descriptor) {
      const file = open.get(descriptor);
      open.delete(descriptor);
      if (file) disk.closeSync(file.fd);
    },
    sync(file) {
      file.gathered?.flush();
      if (file.isFolder) syncFolder(file.fd);
      else if (isCommitting && file.gathered === undefined) databaseFlush.begin(file.path, file.fd);
      else disk.fdatasyncSync(file.fd);
    },
    beforeLogIsLost: () => databaseFlush.finish(),
    committing(commit) {
      isCommitting = true;
      try {
        commit();
      } finally {
        isCommitting = false;
      }
    },
    stat(path) {
      for (const { gathered } of open.values()) gathered?.flush();
      return disk.statSync(real(path));
    },
    access: (path, mode) => disk.accessSync(real(path), mode),
    unlink(path) {
      databaseFlush.finish();
      disk.unlinkSync(real(path));
    },
    closeAll() {
      for (const { fd } of open.values()) disk.closeSync(fd);
      open.clear();
    },
  };
}
