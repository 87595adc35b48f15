import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../base/problem.ts';
import { memberId, recordId } from '../../contract/text.ts';
import { writePrivateJson } from '../private-json.ts';
import { withSignInLock } from '../sign-ins.ts';

/**
 * What this machine remembers of conversations that only their members can read, so that a node cannot show an earlier state, other members or
 * the other mode without being noticed. There is nothing secret in it, but others must not change it.
 */

const epochNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const knownConversation = v.object({
  version: v.literal(1),
  conversationId: recordId,
  /** the other member, of a conversation of two */
  with: v.optional(memberId),
  /** what it was called; the other member's name, of a conversation of two */
  title: v.optional(v.string()),
  /** all epochs that were proven here, the oldest first: number, id of the key, digest of its members */
  epochs: v.array(v.strictTuple([epochNumber, v.string(), v.string()])),
  /** of the last one; empty while the member waits for a key */
  memberIds: v.array(memberId),
  /** attachments that were shown, with the messages that have them */
  files: v.array(v.strictTuple([recordId, recordId])),
});
export type KnownConversation = Omit<v.InferOutput<typeof knownConversation>, 'version'>;

/** Whose memory it is. */
export interface Memory {
  /** of the sign-ins */
  readonly folder: string;
  /** as in sign-ins.ts */
  readonly server: string;
  readonly memberId: string;
}

/** So many attachments are remembered for each conversation, the newest ones. */
const FILES = 1_000;

/** @throws Problem forbidden KNOWN_CONVERSATIONS_EXPOSED if others could change it, internal KNOWN_CONVERSATIONS_DAMAGED */
export async function readKnown(memory: Memory, conversationId: string): Promise<KnownConversation | undefined> {
  const path = fileOf(memory, conversationId);
  let text: string;
  try {
    // Windows has no permission bits. Files in the user's profile are private there.
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
      const message = `Other users can change ${path}, by which this program notices a changed conversation. Run: chmod 600 ${path}`;
      throw new Problem('forbidden', 'KNOWN_CONVERSATIONS_EXPOSED', message);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const known = knownIn(text);
  if (known?.conversationId === conversationId) return known;
  const message = `${path} is damaged. Delete it, and compare the safety number of the conversation again: conclave chat verify ${conversationId}`;
  throw new Problem('internal', 'KNOWN_CONVERSATIONS_DAMAGED', message);
}

/** All that are remembered for a member. */
export async function listKnown(memory: Memory): Promise<KnownConversation[]> {
  const names = await readdir(folderOf(memory)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const ids = names.flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? []);
  return (await Promise.all(ids.map(async (id) => await readKnown(memory, id)))).flatMap((known) => known ?? []);
}

/**
 * Changes what is remembered of a conversation.
 * @param change of what another command may have written meanwhile; what it returns is written, unless it is the same
 */
export async function remember(
  memory: Memory,
  conversationId: string,
  change: (known: KnownConversation | undefined) => KnownConversation | undefined,
): Promise<void> {
  const before = await readKnown(memory, conversationId);
  if (change(before) === before) return;
  await withSignInLock(memory.folder, async () => {
    const now = await readKnown(memory, conversationId);
    const next = change(now);
    if (next === undefined || next === now) return;
    await mkdir(folderOf(memory), { recursive: true, mode: 0o700 });
    await writePrivateJson(fileOf(memory, conversationId), { version: 1, ...next });
  });
}

/** Without its epochs, for somebody who goes and may come back: that is the beginning for them then. The mode stays known. */
export function withoutEpochs(known: KnownConversation): KnownConversation {
  return { ...known, epochs: [], memberIds: [] };
}

/** Without its name, which another one may have from now on. */
export function withoutTitle(known: KnownConversation): KnownConversation {
  const { title: _, ...rest } = known;
  return rest;
}

/** Believes that a conversation of two with a member may be another one than the remembered ones. @param except the one that stays */
export async function forgetPairs(memory: Memory, memberIdOfOther: string, except?: string): Promise<void> {
  for (const { conversationId, with: other } of await listKnown(memory)) {
    if (other !== memberIdOfOther || conversationId === except) continue;
    await remember(memory, conversationId, (known) => {
      if (known === undefined) return undefined;
      const { with: _, ...rest } = withoutTitle(known);
      return rest;
    });
  }
}

/** With attachments that were shown: id of each and of its message. */
export function withFiles(known: KnownConversation, files: KnownConversation['files']): KnownConversation {
  const there = new Set(known.files.map(([id]) => id));
  const fresh = files.filter(([id]) => !there.has(id));
  return fresh.length === 0 ? known : { ...known, files: [...known.files, ...fresh].slice(-FILES) };
}

/** The folder and the file must not reveal the server or the member. */
function folderOf({ folder, server, memberId: own }: Memory): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, own]))
    .digest('hex');
  return join(folder, 'conversations', hash.slice(0, 32));
}

function fileOf(memory: Memory, conversationId: string): string {
  return join(folderOf(memory), `${conversationId}.json`);
}

function knownIn(text: string): KnownConversation | undefined {
  try {
    const read = v.safeParse(knownConversation, JSON.parse(text));
    if (!read.success) return undefined;
    const { version: _, ...known } = read.output;
    return known;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
