import { createHash } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, type FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../../base/problem.ts';

const VERSION = 1;

const entrySchema = v.object({
  /** of the server */
  id: v.string(),
  kind: v.picklist(['file', 'folder']),
  /** id of the folder that it is in */
  parent: v.string(),
  /** its name at the server */
  name: v.string(),
  /** its name here, which differs where that one does harm */
  local: v.string(),
  /** of the file system; '0' where there is none */
  ino: v.string(),
  /** of the server */
  version: v.optional(v.string()),
  size: v.optional(v.number()),
  /** nanoseconds */
  mtime: v.optional(v.string()),
  ctime: v.optional(v.string()),
  /** SHA-256 */
  hash: v.optional(v.string()),
  /** milliseconds since 1970, when it was written down */
  at: v.number(),
});
/** What both sides had of a file or folder when they were equal. */
export type Entry = Readonly<v.InferOutput<typeof entrySchema>>;

const headSchema = v.object({ version: v.number(), local: v.string(), remote: v.string() });
const lineSchema = v.union([entrySchema, v.object({ gone: v.string() }), headSchema]);

export interface State extends AsyncDisposable {
  readonly entries: ReadonlyMap<string, Entry>;
  put(entry: Entry): Promise<void>;
  drop(id: string): Promise<void>;
}

/** The folder that keeps states, by the XDG rules. */
function stateFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_STATE_HOME'];
  if (named !== undefined && isAbsolute(named)) return join(named, 'conclave', 'sync');
  const windows = process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return join(windows ?? join(env['HOME'] || homedir(), '.local', 'state'), 'conclave', 'sync');
}

/** The folder of the state of one pair. @param remote id of the folder at the server */
export async function pairFolder(env: NodeJS.ProcessEnv, local: string, remote: string): Promise<string> {
  const pair = `${remote}\n${await realpath(local)}`;
  const folder = join(stateFolder(env), createHash('sha256').update(pair).digest('hex').slice(0, 32));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Opens the state of a pair, or begins one. It is a journal: each line is whole or is not there, and what a dead process did not write down
 * is found out again from both sides.
 *
 * @param step called before every line
 * @throws Problem conflict SYNC_STATE_NEWER
 */
export async function openState(folder: string, local: string, remote: string, step: () => void): Promise<State> {
  const path = join(folder, 'state.jsonl');
  const { entries, lines } = await readState(path);
  // Each thing has several lines after a while, and one is enough.
  if (lines === 0 || lines > 2 * entries.size + 100)
    await rewrite(path, [{ version: VERSION, local, remote }, ...entries.values()]);
  const file = await open(path, 'a', 0o600);
  // Work goes on side by side, and lines come one after the other.
  let last: Promise<void> = Promise.resolve();
  const write = async (line: unknown): Promise<void> => {
    step();
    last = last.then(() => append(file, [line]));
    await last;
  };
  return {
    entries,
    async put(entry) {
      await write(entry);
      entries.set(entry.id, entry);
    },
    async drop(id) {
      await write({ gone: id });
      entries.delete(id);
    },
    [Symbol.asyncDispose]: async () => {
      await last.catch(() => undefined);
      await file.datasync();
      await file.close();
    },
  };
}

/** What is known of a pair, for who changes nothing. */
export async function readState(path: string): Promise<{ entries: Map<string, Entry>; lines: number }> {
  const entries = new Map<string, Entry>();
  let count = 0;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  for (const one of text.split('\n')) {
    const line = parsed(one);
    if (line === undefined) continue;
    count += 1;
    if ('gone' in line) entries.delete(line.gone);
    else if ('kind' in line) entries.set(line.id, line);
    else if (line.version > VERSION)
      throw new Problem('conflict', 'SYNC_STATE_NEWER', `A newer program has written ${path}. Use that program.`);
  }
  return { entries, lines: count };
}

/** The last line can be torn: its process died. */
function parsed(text: string): v.InferOutput<typeof lineSchema> | undefined {
  try {
    const result = v.safeParse(lineSchema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

async function rewrite(path: string, lines: readonly unknown[]): Promise<void> {
  const temporary = `${path}.new`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await append(file, lines);
    await file.sync();
  }
  await rename(temporary, path);
}

/** A line break comes first, in case the line before is torn. */
async function append(file: FileHandle, lines: readonly unknown[]): Promise<void> {
  await file.appendFile(lines.map((line) => `\n${JSON.stringify(line)}`).join(''));
}
