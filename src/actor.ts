import type { RoleName, RoleRequirement } from './contract/operation.ts';
import type { Scope } from './contract/scopes.ts';
import { Problem } from './problem.ts';

export type MemberType = 'User' | 'Admin' | 'System';

/** Where a request comes from. `address` is the client's, after configured proxies. */
export interface Caller {
  readonly address: string;
  readonly userAgent: string;
}

/** Somebody without a token. */
export interface Guest extends Caller {
  readonly kind: 'guest';
  /** SHA-256, hex, of what their device shows, where it shows something */
  readonly device?: string;
}

/** A member with a live session, or the operator of the node (type System, no session). */
export interface Actor extends Caller {
  readonly kind: 'member';
  readonly memberId: string;
  readonly username: string;
  readonly type: MemberType;
  readonly sessionId: string;
  /** SHA-256 of `jti`, hex: by this the store knows the token */
  readonly jtiHash: string;
  /** Opens what the session keeps sealed. 32 bytes; never logged, never stored. Few need it, so it is read when one does. */
  readonly jti: () => Uint8Array;
  /** all that the token is good for, where that is less than its member may do */
  readonly scopes?: ReadonlySet<Scope>;
  /** The client's own half of what opens its vaults, where it has one. 32 bytes; never logged, never stored. */
  readonly unlockKey?: Uint8Array;
}

export interface Privileges {
  readonly admin: boolean;
  readonly member: boolean;
  readonly child: boolean;
  readonly system: boolean;
}

/** The operator of the node: whoever can read the node secret. Not a member, so no row stands behind it. */
export const operatorId = '0'.repeat(24);

/** What a member type grants; a member's one role is named after the type. */
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

/** The first statement of a service that not every member may call. */
export function requireRole(actor: Actor, requirement: RoleRequirement): void {
  if (!meets(actor.type, requirement)) throw new Problem('forbidden', 'FORBIDDEN', 'Your role does not allow this.');
}
