import type { Context } from '../../service/context.ts';
import { unauthorized } from './authenticate.ts';
import { credentialColumns, type Holder } from './credentials.ts';

/** A member as their password is checked once more. @throws Problem unauthenticated UNAUTHORIZED for one who is gone */
export async function requireHolder({ db }: Pick<Context, 'db'>, memberId: string): Promise<Holder> {
  const row = await db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.id', 'm.status', ...credentialColumns])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  if (row === undefined) throw unauthorized();
  const { id, status, ...credentials } = row;
  return { id, status, credentials };
}
