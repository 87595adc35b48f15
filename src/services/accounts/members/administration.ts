import { type Actor, requireRole } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Member } from '../../../contract/accounts/members.ts';
import { Problem } from '../../../base/problem.ts';
import type { MemberRow } from '../../../platform/store/tables/tables.ts';
import { audit } from '../../../shared/members/audit.ts';
import { closeProgramsOf } from '../../../shared/members/ended-app-passwords.ts';
import { emailKey } from '../../../shared/members/names.ts';
import { planHiddenMember } from '../../../shared/members/hidden-member.ts';
import { administrators, memberNotFound, memberOf } from './members.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { endSessionsOf } from '../sessions/open-sessions.ts';
import { prepareMember, storeMember, type NewMemberInput } from '../signing-in/new-member.ts';
import { roomOf } from '../../../shared/conversations/conversation.ts';
import { dismissEverywhere } from '../../../shared/group-keys/member-epochs.ts';

interface ById {
  readonly memberId: string;
}

type Target = Pick<MemberRow, 'id' | 'type' | 'status' | 'email_key'>;

export async function promote(ctx: Context, actor: Actor, input: ById): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  return await change(ctx, actor, input, 'members.promote', async (tx) => await setType(tx, actor, input, 'Admin'));
}

export async function demote(ctx: Context, actor: Actor, input: ById): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  return await change(ctx, actor, input, 'members.demote', async (tx, target) => {
    await assertNotLast(tx, target);
    await setType(tx, actor, input, 'User');
  });
}

/**
 * Suspends a member. The member's sessions end in the same transaction, and their sockets right after it. App passwords and bot tokens work again when
 * the member is restored. Of conversations that only members can read they get no later key, until a member gives it to them again.
 */
export async function suspend(ctx: Context, actor: Actor, input: ById): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  return await change(ctx, actor, input, 'members.suspend', async (tx, target) => {
    await assertNotLast(tx, target);
    await setStatus(tx, input, 'suspended');
    await endSessionsOf(tx, input.memberId);
    await closeProgramsOf(tx, input.memberId);
    await dismissEverywhere(tx, roomOf('').kind, input.memberId);
    if (target.status === 'active') await planHiddenMember(tx, input.memberId);
  });
}

export async function restore(ctx: Context, actor: Actor, input: ById): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  return await change(ctx, actor, input, 'members.restore', async (tx) => await setStatus(tx, input, 'active'));
}

/** @throws Problem missing MEMBER_NOT_FOUND, conflict EMAIL_CHANGED */
export async function confirmEmail(
  ctx: Context,
  actor: Actor,
  { email, ...input }: ById & { readonly email?: string | undefined },
): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  return await change(ctx, actor, input, 'members.confirm-email', async (tx, target) => {
    if (email !== undefined && emailKey(email) !== target.email_key)
      throw new Problem(
        'conflict',
        'EMAIL_CHANGED',
        'The member has another e-mail address by now. Nothing was confirmed.',
      );
    await tx.db
      .updateTable('members')
      .set({ verified_email_key: target.email_key, updated_at: tx.clock.now() })
      .where('id', '=', target.id)
      .execute();
  });
}

export async function endSessions(ctx: Context, actor: Actor, input: ById): Promise<{ ended: number }> {
  requireRole(actor, administrators);
  return await transaction(ctx, async (tx) => {
    await assertStillAllowed(tx, actor, administrators);
    await findTarget(tx, input);
    audit(tx, actor, 'members.end-sessions', input.memberId);
    return { ended: await endSessionsOf(tx, input.memberId) };
  });
}

async function change(
  ctx: Context,
  actor: Actor,
  input: ById,
  action: string,
  apply: (tx: Context, target: Target) => Promise<void>,
): Promise<{ member: Member }> {
  return await transaction(ctx, async (tx) => {
    await assertStillAllowed(tx, actor, administrators);
    await apply(tx, await findTarget(tx, input));
    audit(tx, actor, action, input.memberId);
    return { member: await memberOf(tx, input.memberId) };
  });
}

async function findTarget(tx: Context, { memberId }: ById): Promise<Target> {
  const target = await tx.db
    .selectFrom('members')
    .select(['id', 'type', 'status', 'email_key'])
    .where('id', '=', memberId)
    .executeTakeFirst();
  if (target === undefined) throw memberNotFound();
  return target;
}

/** Transactions are serialisable. If two administrators demote each other, one of them stays. */
async function assertNotLast(tx: Context, target: Target): Promise<void> {
  if (target.type !== 'Admin' || target.status !== 'active') return;
  const other = await tx.db
    .selectFrom('members')
    .select('id')
    .where('type', '=', 'Admin')
    .where('status', '=', 'active')
    .where('id', '!=', target.id)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new Problem(
    'conflict',
    'LAST_ADMINISTRATOR',
    'This is the last active administrator. Promote another member first.',
  );
}

async function setType(tx: Context, actor: Actor, { memberId }: ById, type: 'User' | 'Admin'): Promise<void> {
  const now = tx.clock.now();
  await tx.db
    .updateTable('members')
    .set({ type, role_updated_at: now, role_updated_by: actor.memberId, updated_at: now })
    .where('id', '=', memberId)
    .where('type', '!=', type)
    .execute();
}

async function setStatus(tx: Context, { memberId }: ById, status: 'active' | 'suspended'): Promise<void> {
  const now = tx.clock.now();
  await tx.db
    .updateTable('members')
    .set({ status, suspended_at: status === 'suspended' ? now : null, updated_at: now })
    .where('id', '=', memberId)
    .where('status', '!=', status)
    .execute();
}

export interface AdministratorCreated {
  data: { memberId: string; mnemonic?: string };
}

/** For the operator only. It is the only way to get an administrator without another administrator. */
export async function createAdministrator(
  ctx: Context,
  actor: Actor,
  input: NewMemberInput,
): Promise<AdministratorCreated> {
  requireRole(actor, { all: ['admin', 'system'] });
  const member = await prepareMember(ctx, input, { type: 'Admin', createdBy: actor.memberId });
  const { row, mnemonic } = member;
  await storeMember(ctx, member, async (tx) => audit(tx, actor, 'members.create-administrator', row.id));
  return { data: { memberId: row.id, ...(mnemonic !== undefined && { mnemonic }) } };
}
