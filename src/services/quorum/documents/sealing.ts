import type { Actor } from '../../../service/actor.ts';
import { withBlock } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { quorumLimits } from '../../../contract/quorum/limits.ts';
import type { RawJson } from '../../../contract/raw-json.ts';
import { Problem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { record } from '../audit/record.ts';
import { holdEpoch } from '../members/epochs.ts';
import { newDocument, storeDocument } from './new-document.ts';

interface SealReply {
  documentId: string;
  memberIds: string[];
  sharesRequired: number;
  createdAt: string;
}

/** Any member of the node may seal, as the storage is their own. */
export async function seal(
  ctx: Context,
  { memberId: creatorId }: Actor,
  input: { document: RawJson; memberIds: string[]; sharesRequired?: number | undefined },
): Promise<SealReply> {
  const earlier = await earlierReply(ctx);
  if (earlier !== undefined) return earlier.reply as SealReply;
  const { memberIds } = input;
  const content = input.document.bytes;
  if (content.length > quorumLimits.documentBytes)
    throw new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', 'The document is larger than 5 MiB.');
  const made = await newDocument(ctx, {
    kind: 'document',
    creatorId,
    content,
    memberIds,
    sharesRequired: input.sharesRequired,
  });
  const { documentId, sharesRequired } = made.header;
  return await withBlock(
    ctx,
    made.sealed,
    async (tx, block) =>
      await once(tx, async () => {
        await holdEpoch(tx);
        const changed = await storeDocument(tx, made, block);
        const details = { documentId, members: memberIds.length, sharesRequired };
        const event = { action: 'DOCUMENT_SEALED', subject: `document/${documentId}`, details };
        await record(tx, creatorId, event, changed);
        return { documentId, memberIds, sharesRequired, createdAt: new Date(made.now).toISOString() };
      }),
    made.shares,
  );
}
