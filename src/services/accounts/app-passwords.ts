import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { AppPassword } from '../../contract/accounts/app-passwords.ts';
import { appPasswordLimits } from '../../contract/accounts/limits.ts';
import type { Scope } from '../../contract/scopes.ts';
import {
  appPasswordCheck,
  appPasswordJti,
  appPasswordKeyPair,
  generateAppPassword,
  writeAppPassword,
  writeHandle,
} from '../../crypto/app-password.ts';
import { toHex } from '../../crypto/bytes.ts';
import { timeFrom } from '../../base/iso-time.ts';
import { audit } from '../../shared/members/audit.ts';
import { tellEnded } from '../../shared/members/ended-app-passwords.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { once } from '../../service/repeats.ts';
import { desc, readPage, type Next, type PageRequest } from '../../platform/store/page.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { AppPasswordRow } from '../../platform/store/tables/app-passwords.ts';
import { noticeAppPassword } from './notices.ts';

/** Handles have 40 bits. Two collisions in a row mean that the random source is broken. */
const TRIES = 3;

export interface NewAppPassword {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string | undefined;
}

/** Makes an app password. Only this reply contains it: the store has a check value and a public key. */
export async function createAppPassword(
  ctx: Context,
  actor: Actor,
  input: NewAppPassword,
): Promise<{ password: string; appPassword: AppPassword }> {
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      const expiresAt = expiryOf(tx, input.expiresAt);
      await refuseTooMany(tx, actor);
      const { password, row } = await insert(tx, actor, input, expiresAt);
      await noticeAppPassword(tx, actor.memberId, row.name);
      audit(tx, actor, 'account.create-app-password', actor.memberId, { program: row.id });
      return { password, appPassword: shown(row) };
    });
  });
}

function expiryOf({ clock }: Context, text: string | undefined): number | null {
  if (text === undefined) return null;
  const at = timeFrom(text);
  if (at === undefined || at <= clock.now()) throw fieldProblem('expiresAt', 'must be in the future');
  return at;
}

async function refuseTooMany(tx: Context, { memberId }: Actor): Promise<void> {
  const { count } = await alive(tx, memberId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count < appPasswordLimits.most) return;
  throw new Problem(
    'conflict',
    'APP_PASSWORDS_FULL',
    `You have ${appPasswordLimits.most} app passwords. Remove one first.`,
  );
}

async function insert(
  tx: Context,
  { memberId }: Actor,
  { name, scopes }: NewAppPassword,
  expiresAt: number | null,
): Promise<{ password: string; row: AppPasswordRow }> {
  const now = tx.clock.now();
  for (let left = TRIES; left > 0; left -= 1) {
    const password = generateAppPassword(tx.random);
    const row: AppPasswordRow = {
      id: recordId(now, tx.random),
      member_id: memberId,
      handle: password.handle,
      name,
      scopes: JSON.stringify(scopes),
      public_key: toHex(appPasswordKeyPair(appPasswordJti(password, memberId)).publicKey),
      check_value: appPasswordCheck(password, memberId),
      created_at: now,
      last_used_at: null,
      expires_at: expiresAt,
    };
    const inserted = await tx.db
      .insertInto('app_passwords')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { password: writeAppPassword(password), row };
  }
  throw new Error('the random source repeats itself');
}

export interface AppPasswordPage extends Next {
  appPasswords: AppPassword[];
}

/** The app passwords of the actor that have not expired, newest first. */
export async function listAppPasswords(ctx: Context, actor: Actor, page: PageRequest): Promise<AppPasswordPage> {
  const { rows, next } = await readPage(
    ctx,
    alive(ctx, actor.memberId).selectAll(),
    // Ids sort by creation.
    { list: 'account.list-app-passwords', memberId: actor.memberId, by: [desc('id', (row) => row.id)] },
    page,
  );
  return { appPasswords: rows.map(shown), ...next };
}

/** Ends an app password. The connections that use it close after the commit, in every process. */
export async function removeAppPassword(
  ctx: Context,
  actor: Actor,
  input: { id: string },
): Promise<Record<string, never>> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    const removed = await tx.db
      .deleteFrom('app_passwords')
      .where('id', '=', input.id)
      .where('member_id', '=', actor.memberId)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n)
      throw new Problem('missing', 'APP_PASSWORD_NOT_FOUND', 'You have no such app password.');
    await tellEnded(tx, [input.id]);
    audit(tx, actor, 'account.remove-app-password', actor.memberId, { program: input.id });
  });
  return {};
}

function alive({ db, clock }: Context, memberId: string) {
  return db
    .selectFrom('app_passwords')
    .where('member_id', '=', memberId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', clock.now())]));
}

function shown(row: AppPasswordRow): AppPassword {
  const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    name: row.name,
    begins: writeHandle(row.handle),
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: timeOf(row.last_used_at),
    expiresAt: timeOf(row.expires_at),
  };
}
