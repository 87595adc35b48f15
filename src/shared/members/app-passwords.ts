import { requireScope, type Actor, type Caller, type MemberType } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { Scope } from '../../contract/scopes.ts';
import { appPasswordCheck, appPasswordJti, readAppPassword, type AppPassword } from '../../crypto/app-password.ts';
import { constantTimeEqual } from '../../crypto/bytes.ts';
import { Problem } from '../../base/problem.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { audit } from './audit.ts';
import { noteUse } from './last-use.ts';
import { jtiHash } from './live-session.ts';
import { emailKey, usernameKey } from './names.ts';

interface LiveAppPassword {
  readonly id: string;
  readonly member_id: string;
  readonly scopes: string;
  readonly check_value: Uint8Array;
  readonly last_used_at: number | null;
  readonly username: string;
  readonly username_key: string;
  readonly email_key: string;
  readonly type: MemberType;
}

const live = (condition: string) => `
  select a.id, a.member_id, a.scopes, a.check_value, a.last_used_at, m.username, m.username_key, m.email_key, m.type
  from app_passwords a join members m on m.id = a.member_id
  where ${condition} and (a.expires_at is null or a.expires_at > $2) and m.status = 'active'`;
const byHandle = writtenQuery<LiveAppPassword>(live('a.handle = $1'));
const byId = writtenQuery<LiveAppPassword>(live('a.id = $1'));

/** What a program presents. */
export interface PresentedAppPassword {
  /** username or e-mail address of the member */
  readonly username: string;
  /** as the person typed it: any case, with or without dashes and spaces */
  readonly password: string;
  /** what the program wants to do; undefined where no app password is allowed */
  readonly scope: Scope | undefined;
  readonly caller: Caller;
  /**
   * Counts a failure, and throws if there were too many from this address.
   *
   * @param presented what the failures are counted for beside the address: the handle, or the name where the text is no app password. So a
   *   telephone with an old password uses up no tries of another program.
   */
  readonly failed: (presented: string) => Promise<void>;
}

/**
 * Finds the member of an app password. The password of an account is never accepted here, and never checked. A right password is let in
 * whatever was counted: it has too many bits to be guessed, and others at the address must not lock its owner out.
 *
 * @throws Problem unauthenticated UNAUTHORIZED, the same for every reason; tooMany RATE_LIMITED; forbidden INSUFFICIENT_SCOPE
 */
export async function checkAppPassword(ctx: Context, presented: PresentedAppPassword): Promise<Actor> {
  const { username, password: text, scope, caller, failed } = presented;
  const password = readAppPassword(text);
  const row = password && (await find(ctx, byHandle, password.handle));
  if (password === undefined || row === undefined || !isRight(row, password) || !isNamed(row, username)) {
    await failed(password?.handle ?? `name ${usernameKey(username)}`);
    audit(ctx, { kind: 'guest', ...caller }, 'account.app-password-failed', row?.member_id);
    throw wrongAppPassword();
  }
  const jti = appPasswordJti(password, row.member_id);
  const actor: Actor = {
    kind: 'member',
    memberId: row.member_id,
    username: row.username,
    type: row.type,
    sessionId: '',
    jtiHash: jtiHash(jti),
    jti: () => jti,
    appPassword: row.id,
    scopes: new Set(JSON.parse(row.scopes) as Scope[]),
    address: caller.address,
    userAgent: caller.userAgent,
  };
  requireScope(actor, scope);
  noteUse(ctx, 'app password', row);
  return actor;
}

/** @throws Problem unauthenticated UNAUTHORIZED when the app password has ended or expired, or its member is suspended */
export async function assertLiveAppPassword(ctx: Pick<Context, 'db' | 'clock'>, id: string): Promise<void> {
  if ((await find(ctx, byId, id)) === undefined) throw wrongAppPassword();
}

async function find(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  query: typeof byHandle,
  value: string,
): Promise<LiveAppPassword | undefined> {
  const { rows } = await db.executeQuery(query(value, clock.now()));
  return rows[0];
}

function isRight(row: LiveAppPassword, password: AppPassword): boolean {
  return constantTimeEqual(appPasswordCheck(password, row.member_id), row.check_value);
}

function isNamed(row: LiveAppPassword, name: string): boolean {
  return name.includes('@') ? emailKey(name) === row.email_key : usernameKey(name) === row.username_key;
}

function wrongAppPassword(): Problem {
  return new Problem(
    'unauthenticated',
    'UNAUTHORIZED',
    'The name or the app password is wrong, or the app password has ended. Make an app password in your account: the password of the account is not accepted here.',
  );
}
