import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { AuditVerification } from '../../../contract/quorum/audit.ts';
import { collectFaults, type Faults } from '../../../ledger/faults.ts';
import { requireInsider } from '../access.ts';
import { fold } from './fold.ts';
import { takeLease, type Lease } from './lease.ts';
import { faultOf, suspectsOf } from './rows.ts';
import { isSealed, nothingVerified, type Mark } from './verified.ts';

/**
 * Verifies the audit trail, and every row of the quorum by it. Entries of the ledger that were verified before are not read again, unless
 * what is known of them was changed, or something was wrong with them. Rows are all read, whoever changes one: a digest is compared.
 */
export async function verifyAudit(ctx: Context, actor: Actor): Promise<{ verification: AuditVerification }> {
  await requireInsider(ctx, actor);
  const faults = collectFaults();
  const lease = await takeLease(ctx);
  const before = await begin(ctx, lease, faults);
  const { mark, sound } = await compare(ctx, lease, before, faults);
  await lease.end(mark, { sealed: sound });
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

/** What need not be verified again. */
async function begin(ctx: Context, lease: Lease, faults: Faults): Promise<Mark> {
  if (lease.before !== undefined) {
    const { mark, seal } = lease.before;
    if (await isSealed(ctx, mark, seal)) return mark;
    faults.add('mark', null, 'what was noted of earlier verifications was changed, so everything was verified anew');
  }
  await lease.startAnew();
  return nothingVerified;
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
  let suspects = await suspectsOf(ctx);
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
