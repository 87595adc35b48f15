import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { PoolProposalRow } from '../../../platform/store/tables/pool.ts';
import type { AclSignature, SignedList } from '../../../crypto/formats/access-list/chain.ts';

/** How long a proposal waits for signatures. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Proposals to change one list; only administrators can make them. Their hashes have to fit into what two nodes tell each other. */
export const MAX_OPEN = 30;
/** With those whose list is no longer active. */
const MAX_KEPT = 200;

export async function proposalRow(
  { db }: Pick<Context, 'db'>,
  poolId: string,
  hash: string,
): Promise<PoolProposalRow | undefined> {
  return await db
    .selectFrom('pool_proposals')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** The proposals to change a list, oldest first. */
export async function openProposals(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  poolId: string,
  prev: string,
): Promise<PoolProposalRow[]> {
  return await db
    .selectFrom('pool_proposals')
    .selectAll()
    .where('pool_id', '=', poolId)
    .where('prev', '=', prev)
    .where('expires_at', '>', clock.now())
    .orderBy('received_at')
    .orderBy('hash')
    .execute();
}

/**
 * Stores a proposal, or adds its signatures to those that are known.
 *
 * @param madeAt milliseconds since 1970; the proposal expires by it
 * @returns the row as it is stored now, and whether anything was new
 * @throws Problem conflict POOL_PROPOSALS_FULL
 */
export async function keepProposal(
  tx: Context,
  list: SignedList,
  source: string,
  madeAt = Date.parse(list.document.issuedAt),
): Promise<{ readonly row: PoolProposalRow; readonly fresh: boolean }> {
  const { poolId, version, prev } = list.document;
  const known = await proposalRow(tx, poolId, list.hash);
  if (known !== undefined) {
    const before = signaturesOf(known);
    const all = joined(before, list.signatures);
    if (all.length === before.length) return { row: known, fresh: false };
    const signatures = JSON.stringify(all);
    await tx.db
      .updateTable('pool_proposals')
      .set({ signatures })
      .where('pool_id', '=', poolId)
      .where('hash', '=', list.hash)
      .execute();
    return { row: { ...known, signatures }, fresh: true };
  }
  await makeRoom(tx, list);
  const now = tx.clock.now();
  const row: PoolProposalRow = {
    pool_id: poolId,
    hash: list.hash,
    version,
    prev: prev ?? '',
    document: list.text,
    signatures: JSON.stringify(list.signatures),
    received_at: now,
    // A proposal of a node whose clock is ahead doesn't wait longer.
    expires_at: Math.min(now, madeAt) + KEPT_MS,
    source,
  };
  await tx.db.insertInto('pool_proposals').values(row).execute();
  return { row, fresh: true };
}

/**
 * Makes room at the limit. One administrator can't keep the others from proposing: the newest proposal of whoever alone signed the most
 * gives way, unless the new one is of somebody who has as many.
 */
async function makeRoom(tx: Context, { document, signatures }: SignedList): Promise<void> {
  const { poolId } = document;
  const prev = document.prev ?? '';
  const { kept } = await tx.db
    .selectFrom('pool_proposals')
    .select((e) => e.fn.countAll<number>().as('kept'))
    .where('pool_id', '=', poolId)
    .executeTakeFirstOrThrow();
  // Those whose list is no longer active can't be signed any more.
  if (kept >= MAX_KEPT)
    await tx.db.deleteFrom('pool_proposals').where('pool_id', '=', poolId).where('prev', '!=', prev).execute();
  const open = await openProposals(tx, poolId, prev);
  if (open.length < MAX_OPEN) return;
  const alone = new Map<string, PoolProposalRow[]>();
  for (const row of open) {
    const [one, ...others] = signaturesOf(row);
    if (one !== undefined && others.length === 0) alone.set(one.memberId, [...(alone.get(one.memberId) ?? []), row]);
  }
  const [most = []] = [...alone.values()].toSorted((one, other) => other.length - one.length);
  const [maker, ...others] = signatures;
  const own = maker === undefined || others.length > 0 ? 0 : (alone.get(maker.memberId)?.length ?? 0);
  const newest = most.at(-1);
  if (newest === undefined || most.length <= own + 1) throw full();
  await tx.db.deleteFrom('pool_proposals').where('pool_id', '=', poolId).where('hash', '=', newest.hash).execute();
}

function full(): Problem {
  return new Problem(
    'conflict',
    'POOL_PROPOSALS_FULL',
    `There are already ${MAX_OPEN} proposals for this version of the access list. Sign one of them first.`,
  );
}

/** Each administrator's signature once; those that were known come first. */
export function joined(known: readonly AclSignature[], more: readonly AclSignature[]): AclSignature[] {
  const all = new Map([...more, ...known].map((one) => [one.memberId, one]));
  const order = new Set([...known, ...more].map(({ memberId }) => memberId));
  return [...order].flatMap((memberId) => all.get(memberId) ?? []);
}

export function signaturesOf({ signatures }: Pick<PoolProposalRow, 'signatures'>): AclSignature[] {
  return JSON.parse(signatures) as AclSignature[];
}

/** Deletes proposals that waited too long. */
export async function purgeProposals({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await db.deleteFrom('pool_proposals').where('expires_at', '<=', clock.now()).execute();
}
