import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { sessionEnded } from '../problems.ts';
import { rightTo, knownDocument } from './rights.ts';

/** The sealed content, for whoever has an open session for the document. Its block is compared with its hash, and the client's key checks it. */
export async function showContent(
  ctx: Context,
  actor: Actor,
  { documentId }: { documentId: string },
): Promise<Download> {
  const document = await knownDocument(ctx, actor.memberId, documentId);
  const session = await ctx.db
    .selectFrom('quorum_sessions')
    .select('purpose')
    .where('document_id', '=', documentId)
    .where('requester_id', '=', actor.memberId)
    .where('status', '=', 'open')
    .where('generation', '=', document.generation)
    .where('expires_at', '>', ctx.clock.now())
    .executeTakeFirst();
  if (session === undefined || (await rightTo(ctx, actor.memberId, document, session.purpose)) === undefined)
    throw new Problem(
      'conflict',
      'UNSEAL_SESSION_ENDED',
      'You have no open session for this document. Open one first.',
    );
  return {
    type: 'application/octet-stream',
    content: new Uint8Array(await sealedBytes(ctx, document.block_id)),
    version: document.block_id.slice(0, 32),
  };
}

async function sealedBytes(ctx: Context, blockId: string): Promise<Uint8Array> {
  try {
    return await ctx.blocks.get(blockId);
  } catch (error) {
    // A new key was put in place after the document was read. That ended the session.
    if (error instanceof Problem && error.code === 'BLOCK_NOT_FOUND') throw sessionEnded();
    throw error;
  }
}
