import type { Stats } from 'node:fs';
import { codeOf, errno, errnoOf } from './disk.ts';
import { storeFolder, type Files, type OpenFile } from './files.ts';
import { readText, type Memory } from './memory.ts';

type Call = (...parameters: never[]) => number;

/** WASM imports by name: Emscripten's own or our replacements. */
export type Imports = Record<string, (...parameters: unknown[]) => unknown>;

/** F_GETLK, F_SETLK, F_SETLKW of musl, with and without 64-bit offsets. They lock nothing: the store lock keeps other processes out. */
const fcntl = { getFlags: 3, setFlags: 4, getLock: [5, 12], unlocked: 2 } as const;
const seek = { current: 1, end: 2 } as const;
/** preview1's filetype of a regular file */
const regularFile = 4;

/** The files that an instance uses now. When this store is closed, the instance gets the files of another one. */
export interface Place {
  files: Files;
}

/**
 * Replaces the imports of sql.js that reach files, for the files of the data directory. Calls for all other files go on to Emscripten.
 * Functions named `fd_…` return an error number, functions named `__syscall_…` its negative.
 */
export function systemCalls(place: Place, memory: Memory, emscripten: Imports): Imports {
  function attempt(action: () => number | void, sign: 1 | -1): number {
    try {
      return action() ?? 0;
    } catch (error) {
      return sign * errnoOf(codeOf(error));
    }
  }

  /** Like `attempt`, for calls whose failure makes SQLite fail: remembers the code of the error. */
  function change(action: () => number | void, sign: 1 | -1): number {
    try {
      return action() ?? 0;
    } catch (error) {
      place.files.lastFault = codeOf(error);
      return sign * errnoOf(place.files.lastFault);
    }
  }

  function onFile(name: string, call: (file: OpenFile, ...parameters: never[]) => number): Call {
    const fallback = emscripten[name] as Call;
    return (descriptor: number, ...parameters: never[]) => {
      const file = place.files.file(descriptor);
      return file ? call(file, ...parameters) : fallback(descriptor as never, ...parameters);
    };
  }

  function onPath(name: string, position: 0 | 1, call: (path: string, ...parameters: never[]) => number): Call {
    const fallback = emscripten[name] as Call;
    return (...parameters: never[]) => {
      const path = readText(memory, parameters[position] as unknown as number);
      return place.files.owns(path) ? call(path, ...parameters) : fallback(...parameters);
    };
  }

  /** Writes musl's struct stat for wasm32, field by field, in Emscripten's layout. */
  function writeStat(pointer: number, stat: Stats): void {
    const { view } = memory;
    view.setUint32(pointer, stat.dev, true);
    view.setUint32(pointer + 4, stat.mode, true);
    view.setUint32(pointer + 8, stat.nlink, true);
    view.setUint32(pointer + 12, stat.uid, true);
    view.setUint32(pointer + 16, stat.gid, true);
    view.setUint32(pointer + 20, stat.rdev, true);
    view.setBigInt64(pointer + 24, BigInt(stat.size), true);
    view.setInt32(pointer + 32, 4096, true);
    view.setInt32(pointer + 36, Math.ceil(stat.size / 512), true);
    for (const [index, ms] of [stat.atimeMs, stat.mtimeMs, stat.ctimeMs].entries()) {
      view.setBigInt64(pointer + 40 + 16 * index, BigInt(Math.floor(ms / 1000)), true);
      view.setUint32(pointer + 48 + 16 * index, Math.floor(ms % 1000) * 1_000_000, true);
    }
    view.setBigInt64(pointer + 88, BigInt(stat.ino), true);
  }

  /** Runs `transfer` for each buffer of an iovec list until one transfer is short, and stores the sum. */
  function eachBuffer(list: number, count: number, sum: number, transfer: (at: number, size: number) => number): void {
    let total = 0;
    for (let entry = list; entry < list + 8 * count; entry += 8) {
      const size = memory.view.getUint32(entry + 4, true);
      const done = transfer(memory.view.getUint32(entry, true), size);
      total += done;
      if (done < size) break;
    }
    memory.view.setUint32(sum, total, true);
  }

  function statOf({ fd, gathered }: OpenFile): Stats {
    gathered?.flush();
    return place.files.disk.fstatSync(fd);
  }

  const statPath = (path: string, pointer: number): number =>
    attempt(() => writeStat(pointer, place.files.stat(path)), -1);
  const calls: Record<string, Call> = {
    __syscall_openat: onPath('__syscall_openat', 1, (path, _folder, _path, flags: number) =>
      change(() => place.files.open(path, flags), -1),
    ),
    __syscall_faccessat: onPath('__syscall_faccessat', 1, (path, _folder, _path, mode: number) =>
      attempt(() => place.files.access(path, mode), -1),
    ),
    __syscall_stat64: onPath('__syscall_stat64', 0, (path, _path, pointer: number) => statPath(path, pointer)),
    // The same as stat: SQLite resolves links itself, but it must not resolve links in the path of the data directory.
    __syscall_lstat64: onPath('__syscall_lstat64', 0, (path, _path, pointer: number) => statPath(path, pointer)),
    __syscall_newfstatat: onPath('__syscall_newfstatat', 1, (path, _folder, _path, pointer: number) =>
      statPath(path, pointer),
    ),
    __syscall_unlinkat: onPath('__syscall_unlinkat', 1, (path) => change(() => place.files.unlink(path), -1)),
    // SQLite uses none of these on database files. Refusing them is safer than Emscripten's files in memory.
    __syscall_chmod: onPath('__syscall_chmod', 0, () => -errno.EPERM),
    __syscall_mkdirat: onPath('__syscall_mkdirat', 1, (path) => (path === storeFolder ? -errno.EEXIST : -errno.EPERM)),
    __syscall_readlinkat: onPath('__syscall_readlinkat', 1, () => -errno.EINVAL),
    __syscall_rmdir: onPath('__syscall_rmdir', 0, () => -errno.EPERM),
    __syscall_utimensat: onPath('__syscall_utimensat', 1, () => 0),
    __syscall_fstat64: onFile('__syscall_fstat64', (file, pointer: number) =>
      attempt(() => writeStat(pointer, statOf(file)), -1),
    ),
    __syscall_ftruncate64: onFile('__syscall_ftruncate64', (file, size: bigint) =>
      change(() => {
        file.gathered?.flush();
        if (file.gathered !== undefined) place.files.beforeLogIsLost();
        place.files.disk.ftruncateSync(file.fd, Number(size));
      }, -1),
    ),
    __syscall_fchmod: onFile('__syscall_fchmod', () => 0),
    // SQLite gives -wal and -journal to the owner of the database, even if root made them. A user who may not give files away keeps them.
    __syscall_fchown32: onFile('__syscall_fchown32', (file, uid: number, gid: number) => {
      attempt(() => place.files.disk.fchownSync(file.fd, uid, gid), -1);
      return 0;
    }),
    __syscall_fcntl64: onFile('__syscall_fcntl64', (_file, command: number, parameters: number) => {
      // SQLite rolls back the journal of a dead process only if it hears "unlocked" here.
      if ((fcntl.getLock as readonly number[]).includes(command))
        memory.view.setInt16(memory.view.getUint32(parameters, true), fcntl.unlocked, true);
      return command === fcntl.getFlags ? 0o2 : 0;
    }),
    _mmap_js: () => -errno.ENOENT,
    _munmap_js: () => -errno.EINVAL,
    fd_close: (descriptor: number) =>
      place.files.file(descriptor)
        ? attempt(() => place.files.close(descriptor), 1)
        : (emscripten['fd_close'] as (descriptor: number) => number)(descriptor),
    fd_fdstat_get: onFile('fd_fdstat_get', (_file, pointer: number) => {
      memory.bytes.fill(0, pointer, pointer + 24);
      memory.view.setUint8(pointer, regularFile);
      return 0;
    }),
    fd_read: onFile('fd_read', (file, list: number, count: number, sum: number) =>
      change(() => {
        file.gathered?.flush();
        eachBuffer(list, count, sum, (at, size) => {
          const done = place.files.disk.readSync(file.fd, memory.bytes, at, size, file.position);
          file.position += done;
          return done;
        });
      }, 1),
    ),
    fd_write: onFile('fd_write', (file, list: number, count: number, sum: number) =>
      change(
        () =>
          eachBuffer(list, count, sum, (at, size) => {
            if (file.gathered !== undefined && file.position === 0) place.files.beforeLogIsLost();
            const done =
              file.gathered?.write(memory.bytes, at, size, file.position) ??
              place.files.disk.writeSync(file.fd, memory.bytes, at, size, file.position);
            file.position += done;
            return done;
          }),
        1,
      ),
    ),
    fd_seek: onFile('fd_seek', (file, offset: bigint, whence: number, result: number) =>
      attempt(() => {
        const from = whence === seek.end ? statOf(file).size : whence === seek.current ? file.position : 0;
        const position = from + Number(offset);
        if (position < 0) return errno.EINVAL;
        file.position = position;
        memory.view.setBigInt64(result, BigInt(position), true);
        return 0;
      }, 1),
    ),
    fd_sync: onFile('fd_sync', (file) => change(() => place.files.sync(file), 1)),
  };
  return calls as unknown as Imports;
}
