import type { Context } from '../../../service/context.ts';
import type { CanaryAction } from '../../../contract/filevault/canaries.ts';
import { scheduled } from '../../../service/scheduled.ts';
import { cancelJob, planJob } from '../../../platform/store/jobs/plans.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { record } from '../audit.ts';
import { canaryFired, canaryWarned } from '../notices.ts';
import { stepsOf } from './actions.ts';
import { timesOf } from './times.ts';

function jobOf({ id, firing }: Pick<FileCanaryRow, 'id' | 'firing'>) {
  return { id: `file-canary/${id}`, kind: 'file-canary', payload: { id, firing } };
}

/** Plans the next look at a canary of absence, in the transaction that binds, changes or renews it. */
export async function planAbsence(tx: Context, row: FileCanaryRow): Promise<void> {
  if (row.condition !== 'ABSENCE') return;
  if (row.state !== 'armed') {
    await cancelJob(tx.db, jobOf(row).id);
    return;
  }
  const { warned, warnsAt, firesAt } = await timesOf(tx, row);
  await planJob(tx.db, { ...jobOf(row), runAt: warned ? firesAt : warnsAt, now: tx.clock.now() });
}

/** Has a canary go off after the commit of what it waited for. */
export async function planFiring(tx: Context, row: Pick<FileCanaryRow, 'id' | 'firing'>): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { ...jobOf(row), runAt: now, now });
}

export async function cancelCanary(tx: Context, id: string): Promise<void> {
  await cancelJob(tx.db, `file-canary/${id}`);
  await cancelJob(tx.db, `file-canary-steps/${id}`);
}

/** The look at a canary, its warning and its going off are each one transaction with the end of the job. */
export const canaryHandler = scheduled(async (tx, payload) => {
  const { id, firing } = payload as Pick<FileCanaryRow, 'id' | 'firing'>;
  const row = await tx.db.selectFrom('file_canaries').selectAll().where('id', '=', id).executeTakeFirst();
  if (row?.state !== 'armed' || row.firing !== firing) return;
  if (row.condition !== 'ABSENCE') {
    await fire(tx, row);
    return;
  }
  const { warned, warnsAt, firesAt } = await timesOf(tx, row);
  const now = tx.clock.now();
  if (now < (warned ? firesAt : warnsAt)) await planAbsence(tx, row);
  else if (warned) await fire(tx, row);
  else {
    await tx.db.updateTable('file_canaries').set({ warned_at: now }).where('id', '=', id).execute();
    const next = { ...row, warned_at: now };
    await planAbsence(tx, next);
    await canaryWarned(tx, row, new Date((await timesOf(tx, next)).firesAt).toISOString());
  }
});

export const duressHandler = scheduled(async (tx, payload) => {
  const { memberId, subject } = payload as { readonly memberId: string; readonly subject: string };
  const row = await tx.db
    .selectFrom('file_canaries')
    .selectAll()
    .where('id', '=', subject)
    .where('owner_id', '=', memberId)
    .executeTakeFirst();
  if (row?.state === 'armed' && row.condition === 'DURESS') await fire(tx, row);
});

/** From here on nothing takes it back but its removal. The steps follow one by one. */
async function fire(tx: Context, row: FileCanaryRow): Promise<void> {
  const { id, firing } = row;
  const now = tx.clock.now();
  await tx.db.updateTable('file_canaries').set({ state: 'fired', fired_at: now }).where('id', '=', id).execute();
  const steps = stepsOf(JSON.parse(row.actions) as CanaryAction[]).map((step, place) => ({
    canary_id: id,
    firing,
    place,
    step: JSON.stringify(step),
    outcome: null,
    done_at: null,
  }));
  await insertRows(tx.db, 'file_canary_steps', steps);
  const job = { id: `file-canary-steps/${id}`, kind: 'file-canary-steps', payload: { id, firing }, now };
  await planJob(tx.db, { ...job, runAt: now });
  // Whoever forces the owner may read what the owner reads.
  if (row.condition === 'DURESS') return;
  await canaryFired(tx, row);
  const actor = { memberId: row.owner_id, address: 'local' };
  await record(tx, actor, { action: 'CANARY_FIRED', metadata: { canaryId: id, condition: row.condition } });
}
