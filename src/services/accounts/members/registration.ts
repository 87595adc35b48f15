import type { Guest } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { audit } from '../../../members/audit.ts';
import { rememberDevice } from '../../../members/known-devices.ts';
import { prepareMember, storeMember, trialCredits, type NewMemberInput } from './new-member.ts';
import { newSession } from '../sign-in/sessions.ts';

export interface Registered {
  data: { token: string; memberId: string; energyBalance: number; mnemonic?: string };
}

/** Makes a member and signs them in. Nobody becomes an administrator this way, not even the first member. */
export async function register(ctx: Context, guest: Guest, input: NewMemberInput): Promise<Registered> {
  const member = await prepareMember(ctx, input, { type: 'User' });
  const { row, mnemonic } = member;
  const session = await newSession(ctx, row, guest, member.privateKey);
  await storeMember(ctx, { ...member, row: { ...row, last_login_at: row.created_at } }, async (tx) => {
    await tx.db.insertInto('sessions').values(session.row).execute();
    await rememberDevice(tx, row.id, guest.device);
    audit(tx, guest, 'account.register', row.id);
  });
  return {
    data: {
      token: session.token,
      memberId: row.id,
      energyBalance: trialCredits,
      ...(mnemonic !== undefined && { mnemonic }),
    },
  };
}
