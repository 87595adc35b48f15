import type { Context } from '../../service/context.ts';
import { constantTimeEqual } from '../../crypto/bytes.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { DuressCodeRow } from '../../platform/store/tables/file-workflow.ts';
import { passwordTask } from './password-task.ts';

const SALT_LENGTH = 16;

/** The stored form of a code: Argon2id, as of passwords. */
export type HashedCode = Omit<DuressCodeRow, 'member_id' | 'subject'>;

/** Not for use in a transaction. @throws Problem unavailable OVERLOADED */
export async function hashCode(ctx: Context, code: string): Promise<HashedCode> {
  const { memoryKib: memory_kib, passes, lanes } = ctx.config.passwords;
  const salt = ctx.random(SALT_LENGTH);
  const verifier = await verifierOf(ctx, code, { salt, memory_kib, passes, lanes });
  return { salt, verifier, memory_kib, passes, lanes };
}

type Cost = Pick<DuressCodeRow, 'salt' | 'memory_kib' | 'passes' | 'lanes'>;

async function verifierOf(ctx: Context, code: string, { salt, memory_kib, passes, lanes }: Cost): Promise<Uint8Array> {
  const job = { password: code, salt, memoryKiB: memory_kib, passes, lanes };
  return await ctx.offload.run(passwordTask, job, ctx.caller === undefined ? {} : { signal: ctx.caller.signal });
}

/** @param subject what the code fires; a member has one code */
export async function storeCode(tx: Context, memberId: string, subject: string, hashed: HashedCode): Promise<void> {
  const changes = { subject, ...hashed };
  await tx.db
    .insertInto('duress_codes')
    .values({ member_id: memberId, ...changes })
    .onConflict((conflict) => conflict.column('member_id').doUpdateSet(changes))
    .execute();
}

export async function removeCode(tx: Context, memberId: string, subject: string): Promise<void> {
  await tx.db.deleteFrom('duress_codes').where('member_id', '=', memberId).where('subject', '=', subject).execute();
}

/**
 * Whether a code says that the member is forced. A wrong code and a member without one cost the same work. Not for use in a transaction.
 * @returns what it fires
 */
export async function duressBy(ctx: Context, memberId: string, code: string): Promise<string | undefined> {
  const row = await ctx.db.selectFrom('duress_codes').selectAll().where('member_id', '=', memberId).executeTakeFirst();
  const { memoryKib: memory_kib, passes, lanes } = ctx.config.passwords;
  const verifier = await verifierOf(ctx, code, row ?? { salt: ctx.random(SALT_LENGTH), memory_kib, passes, lanes });
  return row !== undefined && constantTimeEqual(verifier, row.verifier) ? row.subject : undefined;
}

/** A job does the rest, so that the request of whoever is forced takes no longer than any other. */
export async function reportDuress(tx: Context, memberId: string, subject: string): Promise<void> {
  const now = tx.clock.now();
  await planJob(tx.db, { id: `duress/${memberId}`, kind: 'duress', payload: { memberId, subject }, runAt: now, now });
}
