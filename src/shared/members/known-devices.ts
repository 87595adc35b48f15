import type { Guest } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { sha256HexOfText } from '../../crypto/hash.ts';
import type { Db } from '../../platform/store/database.ts';

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

type SignsIn = Pick<Guest, 'device' | 'userAgent'>;

/**
 * A client with a device key is one device. All clients without one that have the same user agent are one device: anybody can copy that, so
 * it says no more than that nothing looks new. The prefix keeps it from being a device key, which has attempts of its own.
 */
function deviceOf({ device, userAgent }: SignsIn): string {
  return device ?? `agent:${sha256HexOfText(userAgent)}`;
}

/**
 * Whether a member who signed in before signs in on a device that is none of those remembered. To be asked in the transaction that admits
 * them, before it remembers the device. The first sign-in of a member is on no new device. Of a member of whom nothing is remembered, a
 * session with the same user agent counts, if the client has no key.
 */
export async function isNewDevice({ db }: Context, memberId: string, guest: SignsIn): Promise<boolean> {
  const member = await db.selectFrom('members').select('last_login_at').where('id', '=', memberId).executeTakeFirst();
  if ((member?.last_login_at ?? null) === null) return false;
  const rows = await db.selectFrom('known_devices').select('device').where('member_id', '=', memberId).execute();
  const device = deviceOf(guest);
  if (rows.some((row) => row.device === device)) return false;
  if (rows.length > 0 || guest.device !== undefined) return true;
  const session = await db
    .selectFrom('sessions')
    .select('id')
    .where('member_id', '=', memberId)
    .where('user_agent', '=', guest.userAgent)
    .executeTakeFirst();
  return session === undefined;
}

/** Notes that a member signed in on a device, in the transaction that admits them. */
export async function rememberDevice(tx: Context, memberId: string, guest: SignsIn): Promise<void> {
  const device = deviceOf(guest);
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
