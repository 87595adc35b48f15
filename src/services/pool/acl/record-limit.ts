import { transaction, type Context } from '../../../service/context.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import { EVIDENCE_TYPE, recordKept } from './evidence-record.ts';

const DAY_MS = 86_400_000;

/**
 * How much is recorded one by one on a day (UTC): of the same administrators, and of all together, since an administrator can make others.
 * Lists are as many as are kept, so that the whole side of a pool that was parted is recorded; people read forks.
 */
const limits = { lists: { same: 200, all: 400 }, forks: { same: 20, all: 100 } } as const;

const EVERYBODY = '';

export interface Recordable {
  readonly poolId: string;
  readonly what: keyof typeof limits;
  /** ids of the administrators whose doing it is */
  readonly signers: readonly string[];
  readonly wanted: number;
}

/**
 * How many of these are recorded one by one. The others are counted, and the ledger says the next day how many there were. Otherwise an
 * administrator who signs list after list could fill the ledger and the log.
 */
export async function recordable(tx: Context, { poolId, what, signers, wanted }: Recordable): Promise<number> {
  const same = signers.toSorted().join(' ');
  const day = Math.floor(tx.clock.now() / DAY_MS);
  const rows = await tx.db
    .selectFrom('pool_recorded')
    .select(['signers', 'recorded', 'counted'])
    .where('pool_id', '=', poolId)
    .where('day', '=', day)
    .where('what', '=', what)
    .where('signers', 'in', [same, EVERYBODY])
    .execute();
  const [own, all] = [same, EVERYBODY].map((key) => rows.find((row) => row.signers === key));
  const left = Math.min(limits[what].same - (own?.recorded ?? 0), limits[what].all - (all?.recorded ?? 0));
  const recorded = Math.max(0, Math.min(wanted, left));
  const counted = wanted - recorded;
  // Whose doing is only counted has no row: keys are made quickly.
  for (const key of recorded > 0 ? [same, EVERYBODY] : [EVERYBODY])
    await tx.db
      .insertInto('pool_recorded')
      .values({ pool_id: poolId, day, what, signers: key, recorded, counted })
      .onConflict((conflict) =>
        conflict.columns(['pool_id', 'day', 'what', 'signers']).doUpdateSet((e) => ({
          recorded: e('pool_recorded.recorded', '+', recorded),
          counted: e('pool_recorded.counted', '+', counted),
        })),
      )
      .execute();
  if (counted > 0 && (all?.counted ?? 0) === 0)
    tx.afterCommit(() =>
      tx.log.warn(
        'administrators contradict each other or themselves so often that further cases of today are only counted',
        {
          poolId,
          what,
          signers,
        },
      ),
    );
  return recorded;
}

/** Records how much was only counted on earlier days, and the lists of those that are still kept. */
export async function recordCounted(ctx: Context): Promise<void> {
  const today = Math.floor(ctx.clock.now() / DAY_MS);
  await transaction(ctx, async (tx) => {
    const rows = await tx.db
      .selectFrom('pool_recorded')
      .select(['pool_id', 'day', 'what', 'counted'])
      .where('day', '<', today)
      .where('signers', '=', EVERYBODY)
      .orderBy('pool_id')
      .orderBy('day')
      .execute();
    const days = new Map(rows.filter(({ counted }) => counted > 0).map((row) => [`${row.pool_id} ${row.day}`, row]));
    for (const { pool_id: poolId, day } of days.values()) {
      const of = (what: Recordable['what']) =>
        rows.find((row) => row.pool_id === poolId && row.day === day && row.what === what)?.counted ?? 0;
      const counted = { lists: of('lists'), forks: of('forks') };
      const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      await appendEntry(tx, { type: EVIDENCE_TYPE, data: { poolId, day: date, counted } });
    }
    for (const poolId of new Set([...days.values()].map((row) => row.pool_id))) await recordRest(tx, poolId);
    await tx.db.deleteFrom('pool_recorded').where('day', '<', today).execute();
  });
}

async function recordRest(tx: Context, poolId: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('pool_evidence')
    .select(['pool_id', 'version', 'hash', 'signatures'])
    .where('pool_id', '=', poolId)
    .where('recorded', '=', 0)
    .orderBy('version')
    .orderBy('hash')
    .execute();
  await recordKept(tx, rows);
  await tx.db.updateTable('pool_evidence').set({ recorded: 1 }).where('pool_id', '=', poolId).execute();
}
