import type { Context } from '../../../service/context.ts';
import { constantTimeEqual } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileLinkRow } from '../../../platform/store/tables/file-shares.ts';
import { passwordTask } from '../../../shared/members/password-task.ts';

const SALT_BYTES = 32;

type Kept = Pick<FileLinkRow, 'protected' | 'verifier' | 'salt' | 'memory_kib' | 'passes' | 'lanes'>;

/** What the store keeps of the password of a link. */
export async function keptPassword(ctx: Context, password: string | undefined): Promise<Kept> {
  const { memoryKib, passes, lanes } = ctx.config.passwords;
  const cost = { memory_kib: memoryKib, passes, lanes };
  if (password === undefined) return { protected: 0, verifier: null, salt: null, ...cost };
  const salt = ctx.random(SALT_BYTES);
  return { protected: 1, verifier: await stretched(ctx, password, salt, cost), salt, ...cost };
}

/** @throws Problem unauthenticated LINK_PASSWORD_REQUIRED, LINK_PASSWORD_WRONG; unavailable OVERLOADED */
export async function requirePassword(ctx: Context, link: Kept, password: string | undefined): Promise<void> {
  if (link.protected === 0) return;
  if (password === undefined || password === '')
    throw new Problem(
      'unauthenticated',
      'LINK_PASSWORD_REQUIRED',
      'The link has a password. Send it with the request.',
    );
  const right =
    link.verifier !== null &&
    link.salt !== null &&
    constantTimeEqual(await stretched(ctx, password, link.salt, link), link.verifier);
  if (!right)
    throw new Problem('unauthenticated', 'LINK_PASSWORD_WRONG', 'The password is wrong. Ask whoever sent the link.');
}

async function stretched(
  ctx: Context,
  password: string,
  salt: Uint8Array,
  { memory_kib, passes, lanes }: Pick<Kept, 'memory_kib' | 'passes' | 'lanes'>,
): Promise<Uint8Array> {
  const job = { password, salt, memoryKiB: memory_kib, passes, lanes };
  return await ctx.offload.run(passwordTask, job, ctx.caller === undefined ? {} : { signal: ctx.caller.signal });
}
