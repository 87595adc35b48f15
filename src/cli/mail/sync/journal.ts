import { open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { folders } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';

const journalName = '.conclave-sync.journal';

const entrySchema = v.object({
  id: v.string(),
  folder: v.picklist(folders),
  labels: v.array(v.string()),
  /** letters of F, P, R and S, as on both sides after the last synchronisation */
  flags: v.string(),
  /** of its octets; see scan.ts */
  hash: v.string(),
  /** names without flags, by the folder in the Maildir */
  files: v.record(v.string(), v.string()),
  /** another message has replaced it; the server still has to delete it */
  doomed: v.optional(v.boolean()),
});
/** What both sides had of a message when they were equal. */
export type Entry = Readonly<v.InferOutput<typeof entrySchema>>;

const lineSchema = v.union([
  entrySchema,
  v.object({ gone: v.string() }),
  v.object({ address: v.string() }),
  v.object({ modseq: v.number() }),
]);
type Line = v.InferOutput<typeof lineSchema>;

export interface Journal extends AsyncDisposable {
  readonly entries: ReadonlyMap<string, Entry>;
  /** messages with the same octets */
  withHash(hash: string): readonly Entry[];
  /** everything up to this number is known */
  readonly modseq: number;
  /** What it is about is on the disk. Lines that are given together are written together. */
  put(...entries: readonly Entry[]): Promise<void>;
  drop(id: string): Promise<void>;
  /** Writes the number, and everything before it, to the disk. */
  finish(modseq: number): Promise<void>;
}

/**
 * Opens the state of a Maildir, or begins one. Each line is whole or is not there, and lines that a dead process did not write are found
 * out again.
 *
 * @param address of the mailbox, which the Maildir belongs to from now on
 * @param step called before every line
 * @throws Problem conflict MAILDIR_OF_ANOTHER
 */
export async function openJournal(directory: string, address: string, step: () => void): Promise<Journal> {
  const path = join(directory, journalName);
  const { entries, known, lines, ...read } = await readJournal(path);
  let { modseq } = read;
  if (known !== undefined && known !== address) {
    const words = `${directory} belongs to the mailbox ${known}, and you are ${address}. Choose another folder.`;
    throw new Problem('conflict', 'MAILDIR_OF_ANOTHER', words);
  }
  // Each message has several lines after a while, and one is enough.
  if (known === undefined || lines > 2 * entries.size + 100) {
    await rewrite(path, [{ address }, ...entries.values(), { modseq }]);
  }
  const byHash = new Map<string, Set<string>>();
  const index = ({ id, hash }: Entry) => void byHash.set(hash, (byHash.get(hash) ?? new Set()).add(id));
  for (const entry of entries.values()) index(entry);
  const file = await open(path, 'a', 0o600);
  return {
    entries,
    withHash: (hash) => [...(byHash.get(hash) ?? [])].flatMap((id) => entries.get(id) ?? []),
    get modseq() {
      return modseq;
    },
    async put(...all) {
      step();
      await append(file, all);
      for (const entry of all) {
        entries.set(entry.id, entry);
        index(entry);
      }
    },
    async drop(id) {
      step();
      await append(file, [{ gone: id }]);
      entries.delete(id);
    },
    async finish(next) {
      if (next === modseq) return;
      step();
      await file.datasync();
      await append(file, [{ modseq: next }]);
      await file.datasync();
      modseq = next;
    },
    [Symbol.asyncDispose]: async () => await file.close(),
  };
}

async function readJournal(path: string) {
  const entries = new Map<string, Entry>();
  let known: string | undefined;
  let modseq = 0;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  for (const one of lines) {
    const line = readLine(one);
    if (line === undefined) continue;
    if ('address' in line) known = line.address;
    else if ('gone' in line) entries.delete(line.gone);
    else if ('modseq' in line) ({ modseq } = line);
    else entries.set(line.id, line);
  }
  return { entries, known, modseq, lines: lines.length };
}

/** The last line can be torn: its process died. Its work is done again. */
function readLine(text: string): Line | undefined {
  try {
    const result = v.safeParse(lineSchema, JSON.parse(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

async function rewrite(path: string, lines: readonly Line[]): Promise<void> {
  const temporary = `${path}.new`;
  {
    await using file = await open(temporary, 'w', 0o600);
    await append(file, lines);
    await file.sync();
  }
  await rename(temporary, path);
}

/** A line break comes first, in case the line before is torn. */
async function append(file: FileHandle, lines: readonly Line[]): Promise<void> {
  await file.appendFile(lines.map((line) => `\n${JSON.stringify(line)}`).join(''));
}
