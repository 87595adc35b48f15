import type { Context } from '../../../context.ts';
import { membersNamed, type NamedMember } from '../../../members/named.ts';
import { unknownPerson } from '../people/found.ts';

/**
 * The member whom a moderator names. Unlike elsewhere, one who blocked the moderator or is suspended is found too: nobody escapes the rules
 * of a hub by a block.
 * @throws Problem missing MEMBER_NOT_FOUND
 */
export async function requireSubject(ctx: Pick<Context, 'db'>, name: string): Promise<NamedMember> {
  const [found] = await requireSubjects(ctx, [name]);
  return found as NamedMember;
}

/** @returns each member once. @throws Problem missing MEMBER_NOT_FOUND */
export async function requireSubjects(ctx: Pick<Context, 'db'>, names: readonly string[]): Promise<NamedMember[]> {
  const found = new Map<string, NamedMember>();
  for (const member of await membersNamed(ctx, names)) {
    if (member === undefined) throw unknownPerson();
    found.set(member.id, member);
  }
  return [...found.values()];
}
