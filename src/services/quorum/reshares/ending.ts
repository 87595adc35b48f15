import { operatorId } from '../../../service/actor.ts';
import { dropBlocks } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { freeStorage } from '../../../shared/members/storage.ts';
import { scheduled } from '../../../service/scheduled.ts';
import { cancelJob } from '../../../platform/store/jobs/plans.ts';
import type { QuorumReshareRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import type { ChangedRow } from '../audit/row-digests.ts';
import { tellReshareEnded } from '../events/reshares.ts';
import { holdEpoch } from '../members/epochs.ts';
import { closeSession } from '../sessions/closing.ts';

/** The statuses of a re-sharing that goes on. */
export const going = ['collecting', 'confirming'] as const;

/** Whether a re-sharing goes on: one whose time is over doesn't, even if no job has ended it. */
export function isGoing({ clock }: Pick<Context, 'clock'>, row: QuorumReshareRow): boolean {
  return going.some((status) => status === row.status) && row.expires_at > clock.now();
}

/** The job that ends a re-sharing when its time is over. */
export function reshareJob(reshareId: string): string {
  return `quorum-reshare/${reshareId}`;
}

/** Ends a re-sharing that is not done: its new shares and new ciphertext go, and the old ones stay. It records that. */
export async function abandonReshare(
  tx: Context,
  actorId: string,
  row: QuorumReshareRow,
  { status, reason }: { readonly status: 'cancelled' | 'expired'; readonly reason: string | null },
): Promise<void> {
  const { id, document_id: documentId, to_generation: generation } = row;
  const gone = await tx.db
    .deleteFrom('quorum_shares')
    .where('document_id', '=', documentId)
    .where('generation', '=', generation)
    .returning('member_id')
    .execute();
  const session = await tx.db
    .selectFrom('quorum_sessions')
    .select('id')
    .where('id', '=', row.session_id)
    .where('status', '=', 'open')
    .executeTakeFirst();
  const closed = session === undefined ? [] : await closeSession(tx, session, status);
  await dropNewContent(tx, row);
  await tx.db
    .updateTable('quorum_reshares')
    .set({ status, reason, ended_at: tx.clock.now() })
    .where('id', '=', id)
    .execute();
  await cancelJob(tx.db, reshareJob(id));
  await record(tx, actorId, { action: 'RESHARE_ENDED', subject: `reshare/${id}`, details: { documentId, status } }, [
    ['quorum_reshares', id],
    ...closed,
    ...gone.map((one): ChangedRow => ['quorum_shares', documentId, generation, one.member_id]),
  ]);
  await tellReshareEnded(tx, row, status);
}

/** Removes the reference to a new ciphertext that isn't used. */
export async function dropNewContent(tx: Context, row: QuorumReshareRow): Promise<void> {
  if (row.new_block_id === null) return;
  await tx.db.updateTable('quorum_reshares').set({ new_block_id: null, size: null }).where('id', '=', row.id).execute();
  const document = await tx.db
    .selectFrom('quorum_documents')
    .select('creator_id')
    .where('id', '=', row.document_id)
    .executeTakeFirstOrThrow();
  await freeStorage(tx, document.creator_id, row.size ?? 0);
  await dropBlocks(tx, [row.new_block_id]);
}

/** Whose re-sharings end. */
export type WhoseReshares =
  | { readonly memberId: string }
  | { readonly requesterId: string }
  | { readonly proposalId: string };

/**
 * Ends the re-sharings that the removal of a member makes pointless (a new holder is gone), and those of whoever lost the right to them. It
 * must run in the transaction of that change, under `holdEpoch`.
 *
 * @param reason for people
 */
export async function endResharesOf(tx: Context, actorId: string, whose: WhoseReshares, reason: string): Promise<void> {
  const open = tx.db
    .selectFrom('quorum_reshares')
    .selectAll()
    .where('status', 'in', [...going])
    .orderBy('id');
  const rows = await open
    .where((e) => {
      if ('requesterId' in whose) return e('requester_id', '=', whose.requesterId);
      if ('proposalId' in whose) {
        const sessions = e.selectFrom('quorum_sessions').select('id').where('proposal_id', '=', whose.proposalId);
        return e('session_id', 'in', sessions);
      }
      const { memberId } = whose;
      const accounts = e.selectFrom('quorum_members').select('account_id').where('id', '=', memberId);
      return e.or([
        e('member_ids', 'like', `%"${memberId}"%`),
        e('requester_id', 'in', accounts.$castTo<{ account_id: string }>()),
      ]);
    })
    .execute();
  for (const row of rows) await abandonReshare(tx, actorId, row, { status: 'cancelled', reason });
}

/** Ends a re-sharing whose time is over. */
export const reshareExpiryHandler = scheduled(async (tx, payload) => {
  const { reshareId } = payload as { readonly reshareId: string };
  await holdEpoch(tx);
  const row = await tx.db.selectFrom('quorum_reshares').selectAll().where('id', '=', reshareId).executeTakeFirst();
  if (row === undefined || row.expires_at > tx.clock.now() || !going.some((status) => status === row.status)) return;
  await abandonReshare(tx, operatorId, row, { status: 'expired', reason: 'Its time was over.' });
});
