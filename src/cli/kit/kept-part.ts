import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import type { Kept, NamedContent } from '../../client/bodies.ts';

const { O_NOFOLLOW, O_RDWR, O_CREAT, O_EXCL } = constants;

/** The file next to a partial download. It has what is needed to continue, and to check that the content is still the same. */
const stateSchema = v.object({
  /** SHA-256 of the request and its server */
  asked: v.string(),
  /** the process that is writing */
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  etag: v.string(),
  total: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  digests: v.record(v.picklist(['sha-256', 'sha-512']), v.string()),
});

type State = v.InferOutput<typeof stateSchema>;

/** A file that is being downloaded. It remains when this process ends. */
export interface Part {
  readonly file: FileHandle;
  readonly path: string;
  /** the content that an earlier process left in it */
  readonly kept: Kept | undefined;
  /** From now on the file holds this content, and another process may continue it. With undefined, no process can continue it. */
  begin(content: NamedContent | undefined): Promise<void>;
  /** @returns whether another process can continue it */
  readonly staysUseful: boolean;
  remove(): Promise<void>;
}

/**
 * Opens `FILE.part` next to a file, with its state `FILE.part.json`. An existing part is used if it has the same content and its process
 * has ended. A new part is created if there is none. If those names are in use for anything else, the part gets another name, and no later
 * process can continue it.
 */
export async function openPart(target: string, what: unknown): Promise<Part> {
  const asked = createHash('sha256').update(JSON.stringify(what)).digest('hex');
  const path = `${target}.part`;
  const left = await claim(path, asked);
  if (left !== undefined) return part(left.file, path, asked, left.kept);
  const isFree = (await mine(`${path}.json`)) === 'missing';
  const fresh = isFree ? await create(path).catch(() => undefined) : undefined;
  if (fresh !== undefined) return part(fresh, path, asked, undefined);
  const other = `${target}.${randomBytes(6).toString('hex')}.part`;
  return part(await create(other), other, undefined, undefined);
}

/** @param asked undefined if no later process can continue it */
function part(file: FileHandle, path: string, asked: string | undefined, kept: Kept | undefined): Part {
  const statePath = `${path}.json`;
  let useful = kept !== undefined;
  return {
    file,
    path,
    kept,
    get staysUseful() {
      return useful;
    },
    async begin(content) {
      useful = false;
      await rm(statePath, { force: true });
      if (asked === undefined || content === undefined) return;
      await writeState(statePath, { asked, pid: process.pid, ...content });
      useful = true;
    },
    async remove() {
      useful = false;
      await rm(path, { force: true });
      if (asked !== undefined) await rm(statePath, { force: true });
    },
  };
}

async function create(path: string): Promise<FileHandle> {
  return await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

async function writeState(path: string, state: State): Promise<void> {
  await writeFile(path, JSON.stringify(state), { flag: 'wx', mode: 0o600 });
}

/** Takes over the part of an ended process. The process that moves the state file away gets it. A part of another request is deleted. */
async function claim(path: string, asked: string): Promise<{ file: FileHandle; kept: Kept } | undefined> {
  const statePath = `${path}.json`;
  const state = await mine(statePath);
  if (state === 'missing' || state === undefined || isOfLivingProcess(state.pid)) return undefined;
  const claimed = `${statePath}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(statePath, claimed);
  } catch {
    return undefined;
  }
  await rm(claimed, { force: true });
  // The system refuses to open a symbolic link here.
  const file = await openMine(path).catch(() => undefined);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  // A complete part requests its last byte again, because a range needs at least one byte.
  const done = Math.min(size, state.total - 1);
  if (state.asked !== asked || done < 1) {
    await file.close();
    await rm(path, { force: true });
    return undefined;
  }
  await file.truncate(done);
  const { etag, total, digests } = state;
  await writeState(statePath, { asked, pid: process.pid, etag, total, digests });
  const pieces = () => createReadStream(path) as AsyncIterable<Uint8Array>;
  return { file, kept: { done, total, etag, digests, pieces } };
}

/** Reads a state file of this user. @returns `missing` if the file does not exist, undefined if it is something else */
async function mine(path: string): Promise<State | 'missing' | undefined> {
  try {
    const file = await openMine(path);
    if (file === undefined) return undefined;
    await file.close();
    const parsed = v.safeParse(stateSchema, JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.output : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : undefined;
  }
}

/** Opens a file only if it belongs to this user. In a shared folder, others could create a file with our name and receive our data. */
export async function openMine(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, O_RDWR | O_NOFOLLOW);
  const { uid, mode, nlink } = await file.stat();
  const owner = process.getuid?.();
  if ((owner === undefined || (uid === owner && (mode & 0o077) === 0)) && nlink === 1) return file;
  await file.close();
  return undefined;
}

/** Whether another process than this one still runs under a number. */
export function isOfLivingProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
