import type { Actor } from '../../../actor.ts';
import { requireRole } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { audit } from '../../../members/audit.ts';
import { prepareMember, storeMember, type NewMemberInput } from './new-member.ts';

export interface AdministratorCreated {
  data: { memberId: string; mnemonic?: string };
}

/** For the operator of the node alone: the only way to an administrator that doesn't need one. */
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
