import type { RoleName, RoleRequirement } from '../contract/operation.ts';
import type { BotRight, Scope } from '../contract/scopes.ts';
import { Problem } from '../base/problem.ts';
import { requireBotRight, type Bot } from './bot.ts';

export type MemberType = 'User' | 'Admin' | 'System';

/** The origin of a request. `address` is the client's address; the headers of configured proxies are taken into account. */
export interface Caller {
  readonly address: string;
  readonly userAgent: string;
}

/** A caller without a token. */
export interface Guest extends Caller {
  readonly kind: 'guest';
  /** SHA-256 (hex) of the device key in the header `X-Device`, if the request has that header */
  readonly device?: string;
}

/** A member with a live session, an app password or a bot token, or the operator of the node (type System). Only the first has a session. */
export interface Actor extends Caller {
  readonly kind: 'member';
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  /** empty without a session */
  readonly sessionId: string;
  /** SHA-256 of `jti`, hex; the store identifies the token by it */
  readonly jtiHash: string;
  /** The key that opens the session's sealed data. 32 bytes; never logged or stored. Few operations need it, so it is read on demand. */
  readonly jti: () => Uint8Array;
  /** the id of the app password, for a program that signs in with one */
  readonly appPassword?: string;
  /** the bot token, for a program that signs in with one */
  readonly bot?: Bot | undefined;
  /** the request is limited to these scopes; undefined: it may do everything that its member may do */
  readonly scopes?: ReadonlySet<Scope>;
  /** The unlock key, if the client sent one: the client's half of the key to its vaults. 32 bytes; never logged, never stored. */
  readonly unlockKey?: Uint8Array;
}

export interface Privileges {
  readonly admin: boolean;
  readonly member: boolean;
  readonly child: boolean;
  readonly system: boolean;
}

/** The operator of the node: anybody who can read the node secret. The operator is not a member, and has no row in the store. */
export const operatorId = '0'.repeat(24);

/** The permissions of each member type. A member has one role, which is named after the type. */
export const privilegesOf: Readonly<Record<MemberType, Privileges>> = {
  User: { admin: false, member: true, child: false, system: false },
  Admin: { admin: true, member: true, child: false, system: false },
  System: { admin: true, member: false, child: false, system: true },
};

export function meets(type: MemberType, requirement: RoleRequirement): boolean {
  const privileges = privilegesOf[type];
  const has = (name: RoleName) =>
    name === type || Object.entries(privileges).some(([known, granted]) => granted && known === name);
  return 'any' in requirement ? requirement.any.some(has) : requirement.all.every(has);
}

/**
 * Refused unless the operation allows the scope (RFC 6750, section 3.1). An old secret must not reach operations that are added later.
 * @param right what the operation allows bot tokens to do. In which conversation, `requireBotRoom` checks
 * @throws Problem forbidden INSUFFICIENT_SCOPE
 */
export function requireScope(actor: Actor, scope: Scope | undefined, right?: BotRight): void {
  if (actor.bot !== undefined) {
    requireBotRight(actor.bot, right);
    return;
  }
  if (actor.scopes === undefined || (scope !== undefined && actor.scopes.has(scope))) return;
  const what = actor.appPassword === undefined ? 'token' : 'app password';
  const message =
    scope === undefined
      ? `The scopes of this ${what} do not allow this operation. Sign in instead.`
      : `This ${what} lacks the scope ${scope}. Use one that has it.`;
  throw new Problem('forbidden', 'INSUFFICIENT_SCOPE', message);
}

/**
 * For what grants something that outlives an app password, in operations that also do what app passwords may. Those that do nothing else
 * name no scope.
 *
 * @throws Problem forbidden INSUFFICIENT_SCOPE
 */
export function requireNoAppPassword(actor: Actor, what: string): void {
  if (actor.appPassword === undefined) return;
  const message = `An app password cannot ${what}. Sign in instead.`;
  throw new Problem('forbidden', 'INSUFFICIENT_SCOPE', message);
}

/** Checks the actor's permission. It is the first statement of every operation that not all members may call. */
export function requireRole(actor: Actor, requirement: RoleRequirement): void {
  if (!meets(actor.type, requirement)) throw new Problem('forbidden', 'FORBIDDEN', 'Your role does not allow this.');
}
