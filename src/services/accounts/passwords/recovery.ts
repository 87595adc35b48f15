import type { Guest } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { constantTimeEqual, fromHex, toHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { deriveIdentity } from '../../../crypto/identity.ts';
import { mnemonicTag, mnemonicToSeed } from '../../../crypto/mnemonic.ts';
import { Problem } from '../../../base/problem.ts';
import { audit } from '../../../shared/members/audit.ts';
import { invalidCredentials, makeCredentials, setCredentials } from '../../../shared/members/credentials.ts';
import { endProgramsOf } from '../../../shared/members/ended-app-passwords.ts';
import { forgetDevices } from '../../../shared/members/known-devices.ts';
import { emailKey } from '../../../shared/members/names.ts';
import { assertNotNamed, assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { noticePassword } from '../notices.ts';
import { endSessionsOf, newSession } from '../sessions/open-sessions.ts';
import { admit } from '../signing-in/sign-in.ts';

export interface Recovered {
  data: { token: string; memberId: string; passwordReset: true };
}

/**
 * Sets a new password for a member, by e-mail address and recovery phrase. All sessions and app passwords end, and a new
 * session begins.
 * @throws Problem unauthenticated INVALID_CREDENTIALS, the same for an unknown address, a wrong phrase and a suspended member
 */
export async function recover(
  ctx: Context,
  guest: Guest,
  input: { email: string; mnemonic: string; newPassword: string },
): Promise<Recovered> {
  const { email, mnemonic, newPassword } = input;
  await assertStrongPassword('newPassword', newPassword, [email]);
  const member = await findMember(ctx, email);
  const expected = member?.mnemonic_tag ?? toHex(ctx.random(32));
  const right = constantTimeEqual(tagOf(ctx, mnemonic), fromHex(expected));
  if (member === undefined || !right || member.status !== 'active') {
    audit(ctx, guest, 'account.recover-failed', member?.id);
    throw invalidCredentials();
  }
  // Checked only after the phrase: an earlier check would reveal who has this address.
  assertNotNamed('newPassword', newPassword, [member.username]);

  const { privateKey, publicKey } = deriveIdentity(await ctx.heavy.run(() => mnemonicToSeed(mnemonic)));
  if (toHex(publicKey) !== member.public_key) {
    throw new Problem('internal', 'INTERNAL_ERROR', 'The recovery phrase does not match the key of its member.');
  }
  const credentials = await makeCredentials(ctx, member.id, newPassword, privateKey);
  const session = await newSession(ctx, member, guest, privateKey);
  await transaction(ctx, async (tx) => {
    const { status } = await tx.db
      .selectFrom('members')
      .select('status')
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow();
    if (status !== 'active') throw invalidCredentials();
    await setCredentials(tx.db, member.id, credentials);
    await endSessionsOf(tx, member.id);
    await endProgramsOf(tx, member.id);
    await forgetDevices(tx, member.id);
    await noticePassword(tx, member.id, 'reset by the recovery phrase');
    await admit(tx, guest, session, 'account.recover');
  });
  return { data: { token: session.token, memberId: member.id, passwordReset: true } };
}

/** The tag of a phrase. An invalid phrase gets a tag that no member has. */
function tagOf(ctx: Context, mnemonic: string): Uint8Array {
  try {
    return fromHex(mnemonicTag(ctx.keys.mnemonic, mnemonic));
  } catch (error) {
    if (error instanceof CryptoError) return ctx.random(32);
    throw error;
  }
}

async function findMember(ctx: Context, email: string) {
  return await ctx.db
    .selectFrom('members')
    .select(['id', 'username', 'type', 'status', 'public_key', 'mnemonic_tag'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst();
}
