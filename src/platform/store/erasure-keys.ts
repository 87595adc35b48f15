import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertLength, concat, constantTimeEqual, toHex, utf8 } from '../../crypto/bytes.ts';
import {
  around,
  decodeCover,
  encodeCover,
  hasValue,
  puncture,
  valueAt,
  wholeTree,
  wipe,
  type Cover,
} from '../../crypto/puncturable-prf.ts';
import { sha256 } from '../../crypto/hash.ts';
import { Problem } from '../../base/problem.ts';
import { asStoreFull } from './full-disk.ts';
import { syncFolder } from './pending-restore.ts';

/**
 * The file of erasure keys: the seeds of a puncturable function (see crypto/puncturable-prf.ts). It is neither in the database nor in its
 * backups. It changes only when something is erased, so a copy of it stays good for everything that is stored later.
 *
 * `"conclave erasure keys 1\n" | id 16 | cover | SHA-256 of all before 32`
 */
export interface ErasureKeys extends AsyncDisposable {
  /** tells this file from those of other stores; 32 hexadecimal digits */
  readonly id: string;
  /**
   * @param slot 0 to 2^40 - 1
   * @returns 32 bytes; undefined: erased, also by another process
   * @throws NodeJS error ENOENT; Problem invalid ERASURE_KEYS_INVALID, ERASURE_KEYS_EXPOSED; CryptoError
   */
  keyOf(slot: number): Promise<Uint8Array | undefined>;
  /**
   * Erases the keys of slots for good. Slots that were erased before change nothing. It resolves when the new file is on the disk and the
   * old one is overwritten, as far as the disk overwrites. Calls of one process run one after another. Of several processes, the one that
   * calls this holds a lock of the database, or the slots that another one erases at the same time could come back.
   * @throws Problem unavailable STORE_FULL: nothing was erased; otherwise as `keyOf`. After any error it can be repeated
   */
  erase(slots: readonly number[]): Promise<void>;
}

const MAGIC = utf8('conclave erasure keys 1\n');
const ID_BYTES = 16;
const SEED_BYTES = 32;
const HASH_BYTES = 32;
const HEAD_BYTES = MAGIC.length + ID_BYTES;
/** What follows the name of the file in the names of what a process that was killed leaves. */
const leftOver = /^\.[0-9a-f]{12}\.(?:new|old)$/;
/** 2^8 slots, as many as a process takes at once. */
const NEAR_LEVELS = 8;
/** How often a step begins anew because another process got in between; each time, that process did something that it does once. */
const MOST_TRIES = 10;
/** A file is written within milliseconds. If it takes longer, who writes it begins anew. */
const GRACE_MS = 250;

interface Content {
  readonly id: string;
  readonly cover: Cover;
}

interface Loaded extends Content {
  /** of the file that it was read from, see `stateOf` */
  readonly state: string;
}

/**
 * Makes a new file of keys.
 * @throws NodeJS error EEXIST if there is a file, which is never replaced; Problem unavailable STORE_FULL
 */
export async function createErasureKeys(path: string, random: (size: number) => Uint8Array): Promise<void> {
  const [id, seed] = [random(ID_BYTES), random(SEED_BYTES)];
  assertLength('id of the erasure keys', id, ID_BYTES);
  const cover = wholeTree(seed);
  const bytes = encode(toHex(id), cover);
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
  for (const secret of [seed, bytes]) secret.fill(0);
  wipe(cover);
  await syncFolder(dirname(path));
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
  let erasing = Promise.resolve();
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

  /** Slots that were taken one after another are asked for one after another, so most of the way to them is the same. */
  function valueNear(slot: number): Uint8Array | undefined {
    if (!hasValue(near, slot)) {
      wipe(near);
      const node = around(current.cover, slot, NEAR_LEVELS);
      near = node === undefined ? [] : [node];
    }
    return valueAt(near, slot);
  }

  async function eraseNow(slots: readonly number[]): Promise<void> {
    // The caller's lock keeps other processes from writing, so these are of processes that were killed, or of a try that failed.
    await removeLeftOvers(path);
    const file = await openPrivate(path, constants.O_RDWR);
    let old: Content | undefined;
    try {
      old = await readFrom(file);
      if (old === undefined || old.id !== id) throw damaged(path);
      const before = old.cover;
      if (slots.some((slot) => hasValue(before, slot))) await replace(path, file, id, puncture(before, slots));
      // An earlier try may have failed after it replaced the file and before its name was on the disk.
      else await syncFolder(dirname(path));
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
    async keyOf(slot) {
      // Whoever waits for another one's reload asks again: that may have read the file before the last change.
      while (stateOf(await lstat(path, { bigint: true })) !== current.state)
        await (reloading ??= reload().finally(() => (reloading = undefined)));
      assertOpen();
      // No waiting between this check and the use: a reload wipes the cover that it replaces.
      return valueNear(slot);
    },
    async erase(slots) {
      assertOpen();
      const mine = erasing.then(async () => await retried(async () => await eraseNow(slots)));
      erasing = mine.catch(() => undefined);
      await mine;
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
async function replace(path: string, old: FileHandle, id: string, cover: Cover): Promise<void> {
  const name = ending('new');
  const fresh = `${path}${name}`;
  const kept = `${path}${name.replace('.new', '.old')}`;
  const bytes = encode(id, cover);
  wipe(cover);
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

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Best effort: file systems that write to new places, and flash memory, keep the old bytes for a while. */
async function overwrite(file: FileHandle): Promise<void> {
  const zeros = new Uint8Array(64 * 1024);
  const { size } = await file.stat();
  for (let done = 0; done < size;)
    done += (await file.write(zeros, 0, Math.min(zeros.length, size - done), done)).bytesWritten;
  await file.sync();
}

/** A process that was killed leaves files with seeds of slots that are erased, now or later. */
async function removeLeftOvers(path: string): Promise<void> {
  for (const name of await leftOvers(path)) await discard(name);
}

/** Without the lock of those who erase, it is only known that a file is left over when it stays longer than they need it. */
async function removeLeftOversUnlocked(path: string): Promise<void> {
  const found = await leftOvers(path);
  if (found.length === 0) return;
  await sleep(GRACE_MS);
  for (const name of found) await discard(name);
}

async function leftOvers(path: string): Promise<string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder);
  return names
    .filter((other) => other.startsWith(name) && leftOver.test(other.slice(name.length)))
    .map((other) => join(folder, other));
}

/**
 * Removes a file, and overwrites it if it has no other name. It may be another process that is about to give it one: that fails after the
 * removal, and only then is it certain that nobody needs the content.
 */
async function discard(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)).catch(ifMissing);
  if (file === undefined) return;
  try {
    if (!(await remove(path)) || (await file.stat()).nlink > 0) return;
    // The file is gone in any case. A full disk that writes to new places can't overwrite.
    if (await isFlushed(dirname(path))) await overwrite(file).catch(() => undefined);
  } finally {
    await file.close();
  }
}

/** @returns whether there was one */
async function remove(path: string): Promise<boolean> {
  return (await unlink(path).then(() => true, ifMissing)) ?? false;
}

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

/** Flushes the names in a folder. @returns whether they are on the disk for certain; not every system can say so */
async function isFlushed(folder: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
    return true;
  } catch (error) {
    if (['EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Begins anew when another process that opens the keys took the new file for one that was left over. */
async function retried(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      const wasTaken = code === 'ENOENT' && (syscall === 'rename' || syscall === 'link');
      if (!wasTaken || tries === MOST_TRIES) throw error;
    }
  }
}

function ending(kind: 'new' | 'old'): string {
  return `.${randomBytes(6).toString('hex')}.${kind}`;
}

function encode(id: string, cover: Cover): Uint8Array {
  const encoded = encodeCover(cover);
  const bytes = concat(MAGIC, Buffer.from(id, 'hex'), encoded);
  const whole = concat(bytes, sha256(bytes));
  for (const copy of [encoded, bytes]) copy.fill(0);
  return whole;
}

/** @returns undefined if the file isn't whole */
async function readFrom(file: FileHandle): Promise<Content | undefined> {
  const bytes = await file.readFile();
  const end = bytes.length - HASH_BYTES;
  try {
    if (end < HEAD_BYTES || !constantTimeEqual(bytes.subarray(0, MAGIC.length), MAGIC)) return undefined;
    if (!constantTimeEqual(bytes.subarray(end), sha256(bytes.subarray(0, end)))) return undefined;
    const cover = decodeCover(bytes.subarray(HEAD_BYTES, end));
    return cover && { id: toHex(bytes.subarray(MAGIC.length, HEAD_BYTES)), cover };
  } finally {
    bytes.fill(0);
  }
}

function damaged(path: string): Problem {
  return invalid(path, 'is damaged. Put back a copy of it');
}

function invalid(path: string, what: string): Problem {
  return new Problem('invalid', 'ERASURE_KEYS_INVALID', `${path}: the file of erasure keys ${what}.`);
}
