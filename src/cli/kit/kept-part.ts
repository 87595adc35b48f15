import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import type { Kept, NamedContent } from '../../client/bodies.ts';

const { O_NOFOLLOW, O_RDWR, O_CREAT, O_EXCL } = constants;

/** What stands beside a part that came: enough to go on with it, and to see that it is the same content. */
const stateSchema = v.object({
  /** SHA-256 of what was asked for, and where */
  asked: v.string(),
  /** the process that is writing */
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  etag: v.string(),
  total: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  digests: v.record(v.picklist(['sha-256', 'sha-512']), v.string()),
});

type State = v.InferOutput<typeof stateSchema>;

/** A file that is being downloaded, and stays when this process is gone. */
export interface Part {
  readonly file: FileHandle;
  readonly path: string;
  /** what an earlier process left in it */
  readonly kept: Kept | undefined;
  /** from here on it is this content, with which another process may go on; of undefined none can */
  begin(content: NamedContent | undefined): Promise<void>;
  /** @returns whether another process can go on with it */
  readonly staysUseful: boolean;
  remove(): Promise<void>;
}

/**
 * `FILE.part` beside a file, with `FILE.part.json`, of this content and no process that lives; a new one where there is none; one that
 * nobody goes on with, under another name, where those names are taken by anything else.
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

/** @param asked undefined where nobody goes on with it */
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

/** Of two processes one gets it: whoever moves its state away. What was asked for otherwise goes. */
async function claim(path: string, asked: string): Promise<{ file: FileHandle; kept: Kept } | undefined> {
  const statePath = `${path}.json`;
  const state = await mine(statePath);
  if (state === 'missing' || state === undefined || isAlive(state.pid)) return undefined;
  const claimed = `${statePath}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(statePath, claimed);
  } catch {
    return undefined;
  }
  await rm(claimed, { force: true });
  // A link is refused by the system.
  const file = await openMine(path).catch(() => undefined);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  // Of what came whole the last byte is asked for again: a range needs one.
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

/** A state of ours. @returns `missing` where there is no such file, undefined where it is something else */
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

/** In a folder that others may write to, what has our name may be theirs, and would get what is ours. */
async function openMine(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, O_RDWR | O_NOFOLLOW);
  const { uid, mode, nlink } = await file.stat();
  const owner = process.getuid?.();
  if ((owner === undefined || (uid === owner && (mode & 0o077) === 0)) && nlink === 1) return file;
  await file.close();
  return undefined;
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
