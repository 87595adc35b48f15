import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { AuditVerification } from '../../../contract/quorum/audit.ts';
import { collectFaults, type Faults } from '../../../base/faults.ts';
import { requireInsider } from '../access.ts';
import { fold } from './fold.ts';
import { takeLease, type Lease } from './lease.ts';
import { faultOf, suspectsOf } from './rows.ts';
import { isSameSeal, nothingVerified, sealOf, type Mark } from './verified.ts';

/**
 * Verifies the audit trail, and every row of the quorum by it. Entries of the ledger that were verified before are not read again, unless
 * what is known of them was changed, or something was wrong with them. Rows are all read, whoever changes one: a digest is compared.
 */
export async function verifyAudit(ctx: Context, actor: Actor): Promise<{ verification: AuditVerification }> {
  await requireInsider(ctx, actor);
  const faults = collectFaults();
  const lease = await takeLease(ctx);
  const { before, mark } = await underLease(ctx, lease, faults).catch(async (error: unknown) => {
    // The next one need not wait until this one counts as silent.
    await lease.end(nothingVerified, undefined).catch(() => undefined);
    throw error;
  });
  const [first] = faults.named;
  for (const { index, what } of faults.named)
    ctx.log.error('the audit trail of the quorum is damaged', { index, what });
  return {
    verification: {
      valid: first === undefined,
      entriesVerified: mark.records,
      newEntries: mark.records - before.records,
      error: first === undefined ? null : `${first.what}${others(faults.named.length + faults.more - 1)}`,
      faults: faults.named.map(({ what }) => what),
      moreFaults: faults.more,
    },
  };
}

function others(count: number): string {
  return count === 0 ? '' : ` (and ${count} more)`;
}

/** @returns how far the ledger was verified before, and is now */
async function underLease(ctx: Context, lease: Lease, faults: Faults): Promise<{ before: Mark; mark: Mark }> {
  const known = await begin(ctx, lease, faults);
  const { mark, sound } = await compare(ctx, lease, known.mark, faults);
  // Digests change with entries alone, so without a new one the seal is the one that was checked.
  const same = mark.size === known.mark.size ? known.seal : undefined;
  await lease.end(mark, sound ? (same ?? (await sealOf(ctx, mark, lease.alive))) : undefined);
  return { before: known.mark, mark };
}

interface Known {
  readonly mark: Mark;
  /** undefined for nothing */
  readonly seal?: Uint8Array;
}

/** What need not be verified again. */
async function begin(ctx: Context, lease: Lease, faults: Faults): Promise<Known> {
  if (lease.before !== undefined) {
    const { mark, seal } = lease.before;
    if (isSameSeal(seal, await sealOf(ctx, mark, lease.alive))) return lease.before;
    faults.add('mark', null, 'what was noted of earlier verifications was changed, so everything was verified anew');
  }
  await lease.startAnew();
  return { mark: nothingVerified };
}

/** @returns how far the ledger is verified, and whether the next verification can go on from there */
async function compare(
  ctx: Context,
  lease: Lease,
  from: Mark,
  faults: Faults,
): Promise<{ readonly mark: Mark; readonly sound: boolean }> {
  const first = await fold(ctx, lease, from);
  let { mark } = first;
  for (const { index, what } of first.faults) faults.add('ledger', index, what);
  let sound = first.faults.length === 0;
  if (!first.complete) return { mark, sound };
  let suspects = await suspectsOf(ctx, lease.alive);
  while (suspects.size > 0) {
    // A row that changed after its digest was folded is named by a record that was committed with the change.
    const later = await fold(ctx, lease, mark);
    ({ mark } = later);
    if (sound) for (const { index, what } of later.faults) faults.add('ledger', index, what);
    sound &&= later.faults.length === 0;
    const changed = new Map([...suspects].filter(([place]) => later.touched.has(place)));
    for (const [place, row] of suspects) {
      if (changed.has(place)) continue;
      const what = await faultOf(ctx, place, row);
      if (what !== undefined) faults.add('rows', null, what);
    }
    suspects = new Map();
    for (const [place, row] of changed) if ((await faultOf(ctx, place, row)) !== undefined) suspects.set(place, row);
  }
  return { mark, sound };
}
