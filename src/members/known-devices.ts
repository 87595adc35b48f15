import type { Context } from '../context.ts';
import type { Db } from '../store/database.ts';

/** Devices remembered for each member. Those that were used last stay. */
const MOST = 20;
/** An id that no member has. */
const nobody = '-';

/** Whether a member has signed in on this device. The lookup also happens if there is no such member. */
export async function isKnownDevice(db: Db, memberId: string | undefined, device: string): Promise<boolean> {
  const row = await db
    .selectFrom('known_devices')
    .select('device')
    .where('member_id', '=', memberId ?? nobody)
    .where('device', '=', device)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that a member signed in on a device, in the transaction that admits them. */
export async function rememberDevice(tx: Context, memberId: string, device: string | undefined): Promise<void> {
  if (device === undefined) return;
  const used = { used_at: tx.clock.now() };
  await tx.db
    .insertInto('known_devices')
    .values({ member_id: memberId, device, ...used })
    .onConflict((conflict) => conflict.columns(['member_id', 'device']).doUpdateSet(used))
    .execute();
  const rows = await tx.db
    .selectFrom('known_devices')
    .select('device')
    .where('member_id', '=', memberId)
    .orderBy('used_at', 'desc')
    .orderBy('device')
    .offset(MOST)
    .limit(MOST)
    .execute();
  for (const { device: oldest } of rows)
    await tx.db.deleteFrom('known_devices').where('member_id', '=', memberId).where('device', '=', oldest).execute();
}

/** After a recovery the known devices are forgotten: a holder of the lost secrets must have no sign-in attempts of their own any more. */
export async function forgetDevices(tx: Context, memberId: string): Promise<void> {
  await tx.db.deleteFrom('known_devices').where('member_id', '=', memberId).execute();
}
