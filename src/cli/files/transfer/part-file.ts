import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import { isOfLivingProcess } from '../../kit/kept-part.ts';
import type { Range } from './source.ts';

const { O_NOFOLLOW, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_WRONLY } = constants;

/** Bytes of the ranges that a large file is received in. */
const RANGE_BYTES = 8 * 1024 ** 2;

const headSchema = v.object({ tag: v.string(), size: v.pipe(v.number(), v.safeInteger()), pid: v.number() });
const doneSchema = v.object({ index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)), sha256: v.string() });

/**
 * A file that arrives in ranges, `FILE.part`, and beside it a journal of the ranges that are there, `FILE.part.log`. A range counts only if
 * its bytes still have the hash that the journal has, so a power failure, or another program, costs a range and never an error in the file.
 */
export interface PartFile extends AsyncDisposable {
  readonly path: string;
  readonly file: FileHandle;
  /** ranges that are not there yet */
  readonly missing: readonly Range[];
  /** A range is in the file. */
  done(range: Range, sha256: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param tag names the content: what is there of another one is removed */
export async function openPartFile(path: string, tag: string, size: number): Promise<PartFile> {
  const all = rangesOf(size);
  const kept = all.length > 1 ? await claim(path, tag, size) : undefined;
  if (kept !== undefined) {
    const there = await proven(kept.file, size, kept.hashes);
    const journal = await newJournal(`${path}.log`, { tag, size }, there);
    return partFile(path, kept.file, journal, size, new Set(there.keys()));
  }
  // Another process writes to a living part, and what isn't ours stays.
  const own = await create(path).catch(() => undefined);
  if (own !== undefined) {
    const journal = all.length > 1 ? await newJournal(`${path}.log`, { tag, size }, new Map()) : undefined;
    return partFile(path, own, journal, size, new Set());
  }
  const other = `${path}.${randomBytes(6).toString('hex')}`;
  return partFile(other, await create(other), undefined, size, new Set());
}

function partFile(
  path: string,
  file: FileHandle,
  journal: FileHandle | undefined,
  size: number,
  there: ReadonlySet<number>,
): PartFile {
  return {
    path,
    file,
    missing: rangesOf(size).filter((_, index) => !there.has(index)),
    async done({ start }, sha256) {
      await journal?.appendFile(`${JSON.stringify({ index: start / RANGE_BYTES, sha256 })}\n`);
    },
    async remove() {
      await rm(path, { force: true });
      if (journal !== undefined) await rm(`${path}.log`, { force: true });
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await journal?.close();
    },
  };
}

function rangesOf(size: number): Range[] {
  const count = Math.max(1, Math.ceil(size / RANGE_BYTES));
  return Array.from({ length: count }, (_, index) => ({
    start: index * RANGE_BYTES,
    end: Math.min(size, (index + 1) * RANGE_BYTES),
  }));
}

async function create(path: string): Promise<FileHandle> {
  return await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

async function newJournal(
  path: string,
  head: { readonly tag: string; readonly size: number },
  there: ReadonlyMap<number, string>,
): Promise<FileHandle> {
  await rm(path, { force: true });
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const lines = [{ ...head, pid: process.pid }, ...[...there].map(([index, sha256]) => ({ index, sha256 }))];
  await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** Takes over what an ended process left. The process that moves the journal away gets it. What belongs to another content is removed. */
async function claim(path: string, tag: string, size: number) {
  const log = `${path}.log`;
  const claimed = `${log}.${randomBytes(6).toString('hex')}`;
  const journal = await openMine(log);
  if (journal === undefined) return undefined;
  await journal.close();
  const head = (await readJournal(log)).head;
  if (head !== undefined && isOfLivingProcess(head.pid)) return undefined;
  try {
    await rename(log, claimed);
    const { hashes } = await readJournal(claimed);
    await rm(claimed, { force: true });
    const file = await openMine(path);
    if (file === undefined) return undefined;
    if (head?.tag === tag && head.size === size) return { file, hashes };
    await file.close();
    await rm(path, { force: true });
    return undefined;
  } catch {
    return undefined;
  }
}

async function readJournal(path: string) {
  const [first = '', ...lines] = (await readFile(path, 'utf8')).split('\n');
  const hashes = new Map<number, string>();
  for (const line of lines) {
    // The last one may be torn.
    const one = parsed(doneSchema, line);
    if (one !== undefined) hashes.set(one.index, one.sha256);
  }
  return { head: parsed(headSchema, first), hashes };
}

function parsed<S extends v.GenericSchema>(schema: S, line: string): v.InferOutput<S> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(line));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

async function proven(
  file: FileHandle,
  size: number,
  hashes: ReadonlyMap<number, string>,
): Promise<Map<number, string>> {
  const there = new Map<number, string>();
  for (const [index, { start, end }] of rangesOf(size).entries()) {
    const expected = hashes.get(index);
    if (expected !== undefined && (await hashIn(file, start, end)) === expected) there.set(index, expected);
  }
  return there;
}

async function hashIn(file: FileHandle, start: number, end: number): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(256 * 1024);
  for (let at = start; at < end;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** Opens a file only if it belongs to this user alone. In a shared folder, others could give us a file of theirs to write to. */
async function openMine(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, O_RDWR | O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return undefined;
  const { uid, mode, nlink } = await file.stat();
  const owner = process.getuid?.();
  if ((owner === undefined || (uid === owner && (mode & 0o077) === 0)) && nlink === 1) return file;
  await file.close();
  return undefined;
}
