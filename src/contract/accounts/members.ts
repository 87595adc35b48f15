import * as v from 'valibot';
import { session } from './sessions.ts';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { email, line, memberId, secretText, timestamp, username } from '../text.ts';
import { passwordLimits } from './limits.ts';

/** Operations of administrators, and of the node's operator, on members; prefix `/api/admin/members`. */

const administrators = { any: ['Admin', 'System'] } as const;

export const member = v.object({
  id: memberId,
  username: v.string(),
  email: v.string(),
  emailVerified: v.pipe(
    v.boolean(),
    v.description('it is the mailbox of the member on this node, or an administrator confirmed it'),
  ),
  type: v.picklist(['User', 'Admin', 'System']),
  status: v.picklist(['active', 'suspended']),
  publicKey: v.string(),
  createdAt: timestamp,
  lastLogin: v.optional(timestamp),
  sessions: v.number(),
});
export type Member = v.InferOutput<typeof member>;

const oneMember = v.object({ member });
const byId = v.object({ memberId });

export const members = {
  list: operation({
    id: 'members.list',
    method: 'GET',
    path: '/api/admin/members',
    envelope: 'account',
    auth: administrators,
    summary: 'List members, oldest first',
    description: 'For administrators. A member must match all filters.',
    ...paged({
      name: 'members',
      of: member,
      filter: {
        query: v.optional(
          v.pipe(line(254), v.description('part of a username, an e-mail address or the start of an id')),
        ),
        type: v.optional(v.picklist(['User', 'Admin', 'System'])),
        status: v.optional(v.picklist(['active', 'suspended'])),
      },
    }),
    status: 200,
    message: 'Members',
  }),
  createAdministrator: operation({
    id: 'members.create-administrator',
    method: 'POST',
    path: '/api/admin/members',
    envelope: 'account',
    auth: { all: ['admin', 'system'] },
    localOnly: true,
    summary: 'Create an administrator, as the operator of the node',
    description: 'The first administrator of a new node, or another one.',
    input: v.object({
      username,
      email,
      password: secretText(passwordLimits.max),
      mnemonic: v.optional(secretText(512)),
    }),
    reply: v.object({ data: v.object({ memberId, mnemonic: v.optional(v.string()) }) }),
    status: 201,
    message: 'Administrator created',
    secretReply: true,
    errors: ['USERNAME_TAKEN', 'EMAIL_TAKEN', 'PASSWORD_WEAK', 'MNEMONIC_INVALID', 'MNEMONIC_IN_USE', 'OVERLOADED'],
  }),
  show: operation({
    id: 'members.show',
    method: 'GET',
    path: '/api/admin/members/:memberId',
    envelope: 'account',
    auth: administrators,
    summary: 'Show a member',
    description: 'With the number of their sessions, and without encrypted data.',
    input: byId,
    reply: oneMember,
    status: 200,
    message: 'Member',
    errors: ['MEMBER_NOT_FOUND'],
  }),
  promote: operation({
    id: 'members.promote',
    method: 'POST',
    path: '/api/admin/members/:memberId/promote',
    envelope: 'account',
    auth: administrators,
    summary: 'Make a member an administrator',
    description: 'Their sessions get the new role at once.',
    input: byId,
    reply: oneMember,
    status: 200,
    message: 'Member is an administrator',
    errors: ['MEMBER_NOT_FOUND'],
  }),
  demote: operation({
    id: 'members.demote',
    method: 'POST',
    path: '/api/admin/members/:memberId/demote',
    envelope: 'account',
    auth: administrators,
    summary: 'Make an administrator an ordinary member',
    description: 'Their sessions lose the role at once. The last active administrator cannot be demoted.',
    input: byId,
    reply: oneMember,
    status: 200,
    message: 'Member is no longer an administrator',
    errors: ['MEMBER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  }),
  suspend: operation({
    id: 'members.suspend',
    method: 'POST',
    path: '/api/admin/members/:memberId/suspend',
    envelope: 'account',
    auth: administrators,
    summary: 'Suspend a member, and end their sessions and sockets',
    description: 'Sign-ins are refused until the member is restored. Their data stays as it is.',
    input: byId,
    reply: oneMember,
    status: 200,
    message: 'Member suspended',
    errors: ['MEMBER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
  }),
  restore: operation({
    id: 'members.restore',
    method: 'POST',
    path: '/api/admin/members/:memberId/restore',
    envelope: 'account',
    auth: administrators,
    summary: 'Let a suspended member sign in again',
    description: 'The member signs in as before. Ended sessions stay ended.',
    input: byId,
    reply: oneMember,
    status: 200,
    message: 'Member restored',
    errors: ['MEMBER_NOT_FOUND'],
  }),
  confirmEmail: operation({
    id: 'members.confirm-email',
    method: 'POST',
    path: '/api/admin/members/:memberId/confirm-email',
    envelope: 'account',
    auth: administrators,
    summary: 'Confirm that the e-mail address of a member is theirs',
    description:
      'Anybody can register with any address, so only a verified one names its member: when a vault or a file is shared, or when somebody ' +
      'is added to the quorum. Confirm an address after you have asked its owner in another way. A change of the address clears it.',
    input: v.object({
      memberId,
      email: v.optional(
        v.pipe(email, v.description('the address that you checked; nothing is confirmed if it is another one by now')),
      ),
    }),
    reply: oneMember,
    status: 200,
    message: 'E-mail address confirmed',
    errors: ['MEMBER_NOT_FOUND', 'EMAIL_CHANGED'],
  }),
  sessions: operation({
    id: 'members.sessions',
    method: 'GET',
    path: '/api/admin/members/:memberId/sessions',
    envelope: 'account',
    auth: administrators,
    summary: "List a member's sessions",
    description: 'Newest first, with the name of the client program.',
    ...paged({ name: 'sessions', of: session, filter: { memberId }, errors: ['MEMBER_NOT_FOUND'] }),
    status: 200,
    message: 'Sessions',
  }),
  endSessions: operation({
    id: 'members.end-sessions',
    method: 'DELETE',
    path: '/api/admin/members/:memberId/sessions',
    envelope: 'account',
    auth: administrators,
    summary: "End all of a member's sessions",
    description: 'The member can sign in again at once, unless they are suspended.',
    input: byId,
    reply: v.object({ ended: v.number() }),
    status: 200,
    message: 'Sessions ended',
    errors: ['MEMBER_NOT_FOUND'],
  }),
};
