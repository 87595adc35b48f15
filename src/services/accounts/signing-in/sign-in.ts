import type { Guest } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Db } from '../../../platform/store/database.ts';
import { audit } from '../../../shared/members/audit.ts';
import {
  invalidCredentials,
  isOutdated,
  makeCredentials,
  openCredentials,
  type Holder,
  credentialColumns,
  isStill,
  setCredentials,
  untilFresh,
} from '../../../shared/members/credentials.ts';
import { duressBy, reportDuress } from '../../../shared/members/duress.ts';
import { rememberDevice } from '../../../shared/members/known-devices.ts';
import { selectMemberByName } from '../../../shared/members/names.ts';
import { noticeDevice } from '../notices.ts';
import { newSession, type NewSession, type SessionOwner } from '../sessions/open-sessions.ts';

export interface SignedIn {
  data: { token: string; memberId: string; energyBalance: number };
}

/**
 * Signs in with a password. If the configuration asks for another cost, the password is stretched again.
 * @throws Problem unauthenticated INVALID_CREDENTIALS, with the same body and work for an unknown name, a wrong password and a suspended
 *   member
 */
export async function login(
  ctx: Context,
  guest: Guest,
  input: { username: string; password: string; code?: string | undefined },
): Promise<SignedIn> {
  return await untilFresh(async () => {
    const member = await findHolder(ctx.db, input.username);
    const privateKey = await openCredentials(ctx, member, input.password);
    if (member === undefined || privateKey === undefined) {
      audit(ctx, guest, 'account.login-failed', member?.id);
      throw invalidCredentials();
    }
    const { credentials } = member;
    const raised = isOutdated(credentials, ctx.config.passwords)
      ? await makeCredentials(ctx, member.id, input.password, privateKey)
      : undefined;
    const duress = input.code === undefined ? undefined : await duressBy(ctx, member.id, input.code);
    const session = await newSession(ctx, member, guest, privateKey);
    const energyBalance = await transaction(ctx, async (tx) => {
      // The password was checked before the transaction. A password change or a suspension may have come in between.
      if (!(await isStill(tx.db, member))) return undefined;
      if (raised !== undefined) await setCredentials(tx.db, member.id, raised);
      if (duress !== undefined) await reportDuress(tx, member.id, duress);
      await noticeDevice(tx, member.id, guest);
      return await admit(tx, guest, session, 'account.login');
    });
    return energyBalance === undefined
      ? undefined
      : { data: { token: session.token, memberId: member.id, energyBalance } };
  });
}

/** Stores a new session as a sign-in. @returns the balance of the energy account */
export async function admit(tx: Context, guest: Guest, session: NewSession, action: string): Promise<number> {
  const { member_id, created_at } = session.row;
  await tx.db.insertInto('sessions').values(session.row).execute();
  await rememberDevice(tx, member_id, guest);
  await tx.db.updateTable('members').set({ last_login_at: created_at }).where('id', '=', member_id).execute();
  audit(tx, guest, action, member_id);
  const account = await tx.db
    .selectFrom('energy_accounts')
    .select('balance')
    .where('member_id', '=', member_id)
    .executeTakeFirstOrThrow();
  return account.balance;
}

async function findHolder(db: Db, name: string): Promise<(Holder & SessionOwner) | undefined> {
  const row = await selectMemberByName(db, name)
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.id', 'm.username', 'm.type', 'm.status', ...credentialColumns])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, username, type, status, ...credentials } = row;
  return { id, username, type, status, credentials };
}
