import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { quorumSessions, UnsealSession } from '../../../contract/quorum/sessions.ts';
import type { InputOf, ReplyOf } from '../../../contract/operation.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { contributionStatement } from '../../../crypto/formats/quorum/statements.ts';
import { verify } from '../../../crypto/signature.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { memberOf } from '../access.ts';
import { record } from '../audit/record.ts';
import { tellContribution } from '../events/sessions.ts';
import { holdEpoch } from '../members/epochs.ts';
import { noShare, notMember, sessionEnded, wrongSignature } from '../problems.ts';
import { shareOf, knownDocument } from './rights.ts';
import { isLive, visibleSession } from './sessions.ts';
import { shownSession } from './shown.ts';

export async function showMyShare(
  ctx: Context,
  actor: Actor,
  { documentId }: InputOf<typeof quorumSessions.showMyShare>,
): Promise<ReplyOf<typeof quorumSessions.showMyShare>> {
  const document = await knownDocument(ctx, actor.memberId, documentId);
  const own = await memberOf(ctx, actor);
  const share = own && (await shareOf(ctx, document, own.id));
  if (share === undefined) throw noShare();
  return {
    share: {
      documentId,
      memberId: share.member_id,
      generation: share.generation,
      epochNumber: document.epoch,
      encryptedShare: toHex(share.encrypted_share),
      salt: toHex(share.salt),
      commitment: share.commitment,
    },
  };
}

export async function contribute(
  ctx: Context,
  actor: Actor,
  { encryptedShare, signature, ...input }: InputOf<typeof quorumSessions.contribute>,
): Promise<{ session: UnsealSession }> {
  return await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { row, document } = await visibleSession(tx, actor.memberId, input);
    const own = await memberOf(tx, actor);
    if (own === undefined) throw notMember();
    return await once(tx, async () => {
      if (!(await isLive(tx, row, document))) throw sessionEnded();
      if ((await shareOf(tx, document, own.id)) === undefined) throw noShare();
      const { id: sessionId, generation, ephemeral_public_key: ephemeralPublicKey } = row;
      await assertFirst(tx, sessionId, own.id);
      const share = fromHex(encryptedShare);
      const shareHash = sha256Hex(share);
      const place = { sessionId, documentId: document.id, generation, memberId: own.id, ephemeralPublicKey };
      const statement = contributionStatement({ ...place, shareHash });
      if (!verify(fromHex(own.public_key), statement, fromHex(signature))) throw wrongSignature();
      await tx.db
        .insertInto('quorum_contributions')
        .values({
          session_id: sessionId,
          member_id: own.id,
          encrypted_share: share,
          share_hash: shareHash,
          signature,
          created_at: tx.clock.now(),
        })
        .execute();
      const details = { documentId: document.id, memberId: own.id, shareHash };
      const event = { action: 'SHARE_CONTRIBUTED', subject: `session/${sessionId}`, details };
      await record(tx, actor.memberId, event, [['quorum_contributions', sessionId, own.id]]);
      await tellContribution(tx, row, own.id, document.shares_required);
      return { session: await shownSession(tx, row) };
    });
  });
}

/** @throws Problem conflict ALREADY_CONTRIBUTED */
async function assertFirst(tx: Context, sessionId: string, memberId: string): Promise<void> {
  const given = await tx.db
    .selectFrom('quorum_contributions')
    .select('member_id')
    .where('session_id', '=', sessionId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (given !== undefined)
    throw new Problem(
      'conflict',
      'ALREADY_CONTRIBUTED',
      'You have contributed to this session. A contribution counts once.',
    );
}
