import { constants } from 'node:fs';
import { link, lstat, open, rename, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { toHex } from '../../crypto/bytes.ts';
import { around, hasValue, puncture, valueAt, wholeTree, wipe, type Cover } from '../../crypto/puncturable-prf.ts';
import { Problem } from '../../base/problem.ts';
import { decodeKeyFile, encodeKeyFile, ID_BYTES, type KeyFile } from './erasure/key-file.ts';
import {
  discard,
  ending,
  isFlushed,
  MOST_TRIES,
  overwrite,
  remove,
  removeLeftOvers,
  removeLeftOversUnlocked,
  retried,
  write,
} from './erasure/secret-files.ts';
import { asStoreFull } from './full-disk.ts';
import { syncFolder } from './pending-restore.ts';

/**
 * The file of erasure keys: the seeds of a puncturable function (see crypto/puncturable-prf.ts). It is neither in the database nor in its
 * backups. It changes only when something is erased, and counts that: a copy from before brings back what was erased since, so whoever
 * knows the newest generation names it.
 */
export interface ErasureKeys extends AsyncDisposable {
  /** tells this file from those of other stores; 32 hexadecimal digits */
  readonly id: string;
  /** @throws as `keyOf` */
  generation(): Promise<number>;
  /**
   * @param slot 0 to 2^40 - 1
   * @param atLeast the generation that the file must have
   * @returns 32 bytes; undefined: erased, also by another process
   * @throws NodeJS error ENOENT; Problem invalid ERASURE_KEYS_INVALID, ERASURE_KEYS_EXPOSED, unavailable ERASURE_KEYS_STALE; CryptoError
   */
  keyOf(slot: number, atLeast?: number): Promise<Uint8Array | undefined>;
  /** Whether one of the slots has a key. @throws as `keyOf` */
  hasAny(slots: readonly number[], atLeast?: number): Promise<boolean>;
  /**
   * Erases the keys of slots for good. Slots that were erased before change nothing. It resolves when the new file is on the disk and the
   * old one is overwritten, as far as the disk overwrites. Calls of one process run one after another. Of several processes, the one that
   * calls this holds a lock of the database, or the slots that another one erases at the same time could come back.
   * @param atLeast the generation that the file must have
   * @param next the lowest generation that it may have afterwards
   * @returns the generation of the file
   * @throws Problem unavailable STORE_FULL: nothing was erased; otherwise as `keyOf`. After any error it can be repeated
   */
  erase(slots: readonly number[], atLeast?: number, next?: number): Promise<number>;
}

const SEED_BYTES = 32;
/** 2^8 slots, as many as a process takes at once. */
const NEAR_LEVELS = 8;

interface Loaded extends KeyFile {
  /** of the file that it was read from, see `stateOf` */
  readonly state: string;
}

/**
 * Makes a new file of keys.
 * @throws NodeJS error EEXIST if there is a file, which is never replaced; Problem unavailable STORE_FULL
 */
export async function createErasureKeys(path: string, random: (size: number) => Uint8Array): Promise<void> {
  const [id, seed] = [random(ID_BYTES), random(SEED_BYTES)];
  const cover = wholeTree(seed);
  const bytes = encodeKeyFile({ id: toHex(id), generation: 0, cover });
  await addErasureKeys(path, bytes).finally(() => {
    for (const secret of [seed, bytes]) secret.fill(0);
    wipe(cover);
  });
}

/** Puts the content of a file where there is none. @throws as `createErasureKeys` */
export async function addErasureKeys(path: string, bytes: Uint8Array): Promise<void> {
  await retried(async () => {
    const fresh = `${path}${ending('new')}`;
    try {
      await write(fresh, bytes);
      // Unlike a rename, this never replaces a file.
      await link(fresh, path);
    } catch (error) {
      throw asStoreFull(error);
    } finally {
      await discard(fresh);
    }
  });
  await syncFolder(dirname(path));
}

/** @throws NodeJS error ENOENT; Problem invalid ERASURE_KEYS_INVALID, ERASURE_KEYS_EXPOSED */
export async function readErasureKeys(
  path: string,
): Promise<{ readonly id: string; readonly generation: number; readonly bytes: Uint8Array }> {
  const { id, generation, cover } = await load(path);
  const bytes = encodeKeyFile({ id, generation, cover });
  wipe(cover);
  return { id, generation, bytes };
}

/** @throws NodeJS error ENOENT; Problem invalid ERASURE_KEYS_INVALID, ERASURE_KEYS_EXPOSED */
export async function openErasureKeys(path: string): Promise<ErasureKeys> {
  let current = await load(path);
  const { id } = current;
  // Not before the file is found: what lies beside a missing file may be all that is left.
  await removeLeftOversUnlocked(path);
  /** the seed of the slots around the one that was asked for last, and nothing that the cover does not give */
  let near: Cover = [];
  let reloading: Promise<void> | undefined;
  let erasing: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function reload(): Promise<void> {
    const next = await load(path);
    if (next.id !== id) {
      wipe(next.cover);
      throw invalid(path, 'belongs to another store now. Put back the file of this store');
    }
    forget();
    current = next;
  }

  function forget(): void {
    wipe(current.cover);
    wipe(near);
    near = [];
  }

  /** No waiting between its end and the use of what was read: a reload wipes the cover that it replaces. */
  async function refresh(atLeast: number): Promise<void> {
    // Whoever waits for another one's reload asks again: that may have read the file before the last change.
    while (stateOf(await lstat(path, { bigint: true })) !== current.state)
      await (reloading ??= reload().finally(() => (reloading = undefined)));
    assertOpen();
    refuseStale(path, current, atLeast);
  }

  /** Slots that were taken one after another are asked for one after another, so most of the way to them is the same. */
  function valueNear(slot: number): Uint8Array | undefined {
    if (!hasValue(near, slot)) {
      wipe(near);
      const node = around(current.cover, slot, NEAR_LEVELS);
      near = node === undefined ? [] : [node];
    }
    return valueAt(near, slot);
  }

  async function eraseNow(slots: readonly number[], atLeast: number, next: number): Promise<number> {
    // The caller's lock keeps other processes from writing, so these are of processes that were killed, or of a try that failed.
    await removeLeftOvers(path);
    const file = await openPrivate(path, constants.O_RDWR);
    let old: KeyFile | undefined;
    try {
      old = await readFrom(file);
      if (old === undefined || old.id !== id) throw damaged(path);
      refuseStale(path, old, atLeast);
      const { cover, generation: before } = old;
      if (slots.some((slot) => hasValue(cover, slot)) || before < next) {
        const generation = Math.max(next, before + 1);
        await replace(path, file, { id, generation, cover: puncture(cover, slots) });
        return generation;
      }
      // An earlier try may have failed after it replaced the file and before its name was on the disk.
      await syncFolder(dirname(path));
      return before;
    } finally {
      if (old !== undefined) wipe(old.cover);
      await file.close();
    }
  }

  function assertOpen(): void {
    if (isClosed) throw new Error('the erasure keys are closed');
  }

  return {
    id,
    async generation() {
      await refresh(0);
      return current.generation;
    },
    async keyOf(slot, atLeast = 0) {
      await refresh(atLeast);
      return valueNear(slot);
    },
    async hasAny(slots, atLeast = 0) {
      await refresh(atLeast);
      return slots.some((slot) => hasValue(current.cover, slot));
    },
    async erase(slots, atLeast = 0, next = 0) {
      assertOpen();
      const mine = erasing.then(async () => await retried(async () => await eraseNow(slots, atLeast, next)));
      erasing = mine.catch(() => undefined);
      return await mine;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await erasing;
      await reloading?.catch(() => undefined);
      forget();
    },
  };
}

/** Reads the file, again if it was replaced meanwhile: the old one is overwritten then, perhaps while it was read. */
async function load(path: string): Promise<Loaded> {
  for (let tries = 1; ; tries += 1) {
    const file = await openPrivate(path, constants.O_RDONLY);
    try {
      // Of the file that is open. What has the name may be another one by now.
      const state = stateOf(await file.stat({ bigint: true }));
      const content = await readFrom(file);
      if (content !== undefined) return { ...content, state };
      const isStill = stateOf(await lstat(path, { bigint: true })) === state;
      if (isStill || tries === MOST_TRIES) throw damaged(path);
    } finally {
      await file.close();
    }
  }
}

/** @returns undefined if the file isn't whole */
async function readFrom(file: FileHandle): Promise<KeyFile | undefined> {
  const bytes = await file.readFile();
  try {
    return decodeKeyFile(bytes);
  } finally {
    bytes.fill(0);
  }
}

/** Tells whether the file was replaced or changed. */
function stateOf(file: Record<'dev' | 'ino' | 'mtimeNs' | 'ctimeNs' | 'size', bigint>): string {
  return [file.dev, file.ino, file.mtimeNs, file.ctimeNs, file.size].join('/');
}

async function openPrivate(path: string, flags: number): Promise<FileHandle> {
  let file;
  try {
    // A link could lead to a file that others can change. Windows doesn't have the flag.
    file = await open(path, flags | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw invalid(path, 'is a symbolic link. Name the file itself in the settings');
  }
  try {
    const status = await file.stat();
    if (!status.isFile()) throw damaged(path);
    if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
      throw new Problem(
        'invalid',
        'ERASURE_KEYS_EXPOSED',
        `${path}: other users can read the erasure keys. Run: chmod 600 ${path}`,
      );
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Makes the file have this content. @param old what has the name now, open for writing */
async function replace(path: string, old: FileHandle, content: KeyFile): Promise<void> {
  const name = ending('new');
  const fresh = `${path}${name}`;
  const kept = `${path}${name.replace('.new', '.old')}`;
  const bytes = encodeKeyFile(content);
  wipe(content.cover);
  try {
    await write(fresh, bytes);
    // By this name the next process finds what must be overwritten, if this one is killed before it does so. Not every file system has links.
    await link(path, kept).catch(() => undefined);
    await rename(fresh, path);
  } catch (error) {
    await discard(fresh);
    await discard(kept);
    throw asStoreFull(error);
  } finally {
    bytes.fill(0);
  }
  // Not before it is certain that a loss of power leaves the new file: it would leave neither.
  if (await isFlushed(dirname(path))) await overwrite(old);
  await remove(kept);
}

function refuseStale(path: string, { generation }: Pick<KeyFile, 'generation'>, atLeast: number): void {
  if (generation >= atLeast) return;
  throw new Problem(
    'unavailable',
    'ERASURE_KEYS_STALE',
    `The file ${basename(path)} is a copy of the erasure keys from before something was erased (generation ${generation}, and the store has ${atLeast}). With it, what was destroyed could be opened again. Put back the newest file of these keys`,
  );
}

function damaged(path: string): Problem {
  return invalid(path, 'is damaged. Put back a copy of it');
}

function invalid(path: string, what: string): Problem {
  return new Problem('invalid', 'ERASURE_KEYS_INVALID', `${path}: the file of erasure keys ${what}.`);
}
