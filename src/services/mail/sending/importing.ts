import type { Folder } from '../../../contract/mail/limits.ts';
import type { Actor } from '../../../service/actor.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertStorageLeft } from '../../../shared/members/storage.ts';
import { fieldProblem } from '../../../base/problem.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { addItem, copiesOf, prepareItem } from '../boxes/items.ts';
import { parsedContent } from '../reading/body.ts';
import { octetsOf } from '../reading/content.ts';
import { addContent, newContent, openContent, type OpenContent } from '../storage/contents.ts';
import { takeIn, type TakenIn } from '../storage/intake.ts';
import { filesOf } from '../../../shared/attachments/sealed-parts.ts';
import { factsOf, structureOf } from '../storage/structure.ts';
import { newMessageId } from './composing.ts';

interface GivenImport {
  readonly folder: Folder;
  readonly label?: string | undefined;
  readonly keywords?: string | readonly string[] | undefined;
  readonly read: 'true' | 'false';
  readonly receivedAt?: string | undefined;
  readonly unlessPresent: 'true' | 'false';
}

interface Imported {
  readonly messageId: string;
  readonly id: string;
  readonly uid: number;
  readonly modseq: number;
  readonly imported: boolean;
}

/** Puts a message into the caller's own mailbox. Its octets are kept as they are, whatever they are. */
export async function importMessage(
  ctx: Context,
  actor: Actor,
  input: GivenImport,
  { body, size = 0 }: Upload,
): Promise<Imported> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as Imported;
  await assertStorageLeft(ctx, actor.memberId, size);
  const now = ctx.clock.now();
  const receivedAt = input.receivedAt === undefined ? now : Math.min(now, Date.parse(input.receivedAt));
  const isDraft = input.folder === 'drafts';
  const keywords = [...new Set([...[input.keywords ?? []].flat(), ...(isDraft ? ['$draft'] : [])])];
  const taken = await takeIn(ctx, body);
  let kept = false;
  try {
    if (taken.size === 0) throw fieldProblem('body', 'is empty');
    const parsed = await parsedContent(ctx, taken);
    const facts = factsOf(parsed, taken.size, newMessageId(ctx));
    if (input.unlessPresent === 'true') {
      const present = await sameMessage(ctx, actor, input.folder, facts.messageId, taken);
      if (present !== undefined) return present;
    }
    const content = newContent(ctx, recordId(now, ctx.random), { ...taken, structure: structureOf(parsed) });
    const item = await prepareItem(ctx, actor.memberId, recordId(now, ctx.random), facts, receivedAt);
    return await transaction(ctx, async (tx) => {
      kept = false;
      return await once(tx, async () => {
        await addContent(tx, content, [actor.memberId], new Set(filesOf(taken.parts)));
        const row = await addItem(tx, content.id, item, {
          folder: input.folder,
          seen: input.read === 'true',
          flagged: keywords.includes('$flagged'),
          keywords: keywords.filter((one) => one !== '$flagged' && one !== '$seen'),
          labels: input.label === undefined ? [] : [input.label],
        });
        kept = true;
        return { messageId: row.message_id, id: row.id, uid: row.uid, modseq: row.modseq, imported: true };
      });
    });
  } finally {
    if (!kept) await withdrawBlocks(ctx, filesOf(taken.parts));
  }
}

/** The same octets in the folder already. */
async function sameMessage(
  ctx: Context,
  { memberId }: Actor,
  folder: Folder,
  messageId: string,
  taken: TakenIn,
): Promise<Imported | undefined> {
  for (const row of await copiesOf(ctx, memberId, messageId)) {
    if (row.folder !== folder || row.size !== taken.size) continue;
    const content = await openContent(ctx, row.content_id);
    if (!(await sameOctets(ctx, content, taken))) continue;
    return { messageId, id: row.id, uid: row.uid, modseq: row.modseq, imported: false };
  }
  return undefined;
}

async function sameOctets(ctx: Context, one: OpenContent, other: TakenIn): Promise<boolean> {
  const others = octetsOf(ctx, other)[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of octetsOf(ctx, one)) {
    let mine: Uint8Array = piece;
    while (mine.length > 0) {
      if (rest.length === 0) {
        const next = await others.next();
        if (next.done === true) return false;
        rest = next.value;
        continue;
      }
      const length = Math.min(mine.length, rest.length);
      if (Buffer.compare(mine.subarray(0, length), rest.subarray(0, length)) !== 0) return false;
      mine = mine.subarray(length);
      rest = rest.subarray(length);
    }
  }
  return true;
}
