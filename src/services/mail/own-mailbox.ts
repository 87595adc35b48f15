import { hostname } from 'node:os';
import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { usernameIn, usernameKey } from '../../shared/members/names.ts';
import { Problem } from '../../base/problem.ts';
import { addressKey, domainFrom, mailboxFrom, type Mailbox } from './message/address.ts';

/** Whose mail it is: the caller, or a member for whom a rule works. */
export type Owner = Pick<Actor, 'memberId' | 'username'>;

/** The mail domain of this node. */
export function ownDomain({ config }: Pick<Context, 'config'>): string {
  return domainFrom(config.mail.domain ?? hostname()) ?? 'localhost';
}

/** The mailbox of a member of this node. */
export function mailboxOfMember(ctx: Pick<Context, 'config'>, username: string): Mailbox {
  return { localPart: username, domain: ownDomain(ctx) };
}

/** Whether a mailbox is the member's own, or an alias of it with a plus sign. */
export function isOwn(ctx: Pick<Context, 'config'>, username: string, { localPart, domain }: Mailbox): boolean {
  return domain === ownDomain(ctx) && usernameIn(localPart) === usernameKey(username);
}

/** @throws Problem forbidden FORBIDDEN for the mailbox of somebody else, and for what is no mailbox */
export function assertOwn(ctx: Pick<Context, 'config'>, actor: Owner, from: Mailbox): Mailbox {
  const mailbox = mailboxFrom(from);
  if (mailbox !== undefined && isOwn(ctx, actor.username, mailbox)) return mailbox;
  const own = addressKey(mailboxOfMember(ctx, actor.username));
  throw new Problem('forbidden', 'FORBIDDEN', `You can send from ${own} alone.`, {
    fields: [{ path: 'from', message: `must be ${own}` }],
  });
}
