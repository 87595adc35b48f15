import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { recordId, timestamp } from '../text.ts';
import { user, verifiedUser } from './user.ts';

export const session = v.object({
  id: recordId,
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  userAgent: v.string(),
  current: v.boolean(),
  keyUnlocked: v.boolean(),
});
export type Session = v.InferOutput<typeof session>;

/** Operations on the session of a token, and on the other sessions of its member. */
export const sessions = {
  verify: operation({
    id: 'account.verify',
    method: 'GET',
    path: '/api/user/verify',
    envelope: 'account',
    auth: 'member',
    summary: 'Check the token, and show its member',
    description: 'The cheapest way to check whether a token is valid.',
    input: v.object({}),
    reply: v.object({ user: verifiedUser }),
    status: 200,
    message: 'Token is valid',
    errors: [],
  }),
  refreshToken: operation({
    id: 'account.refresh-token',
    method: 'GET',
    path: '/api/user/refresh-token',
    envelope: 'account',
    auth: 'member',
    summary: 'Get a new token for the session; the old one works for 30 more seconds',
    description:
      'The header `Authorization` of the answer has the new token as well. Several refreshes at the same time are safe.',
    input: v.object({}),
    reply: v.object({ user, token: v.string(), serverPublicKey: v.string() }),
    status: 200,
    message: 'Token refreshed',
    secretReply: true,
    errors: [],
    headers: (reply) => ({ authorization: `Bearer ${reply.token}` }),
    limit: { name: 'write' },
  }),
  logout: operation({
    id: 'account.logout',
    method: 'POST',
    path: '/api/user/logout',
    envelope: 'account',
    auth: 'member',
    summary: 'End the session of this token',
    description: 'The token stops working at once, and the sockets of the session are closed.',
    input: v.object({}),
    reply: v.object({}),
    status: 200,
    message: 'Signed out',
    errors: [],
  }),
  listSessions: operation({
    id: 'account.list-sessions',
    method: 'GET',
    path: '/api/user/sessions',
    envelope: 'account',
    auth: 'member',
    summary: 'List the sessions of the caller',
    description: 'Newest first. The session of this token is marked as `current`.',
    ...paged({ name: 'sessions', of: session }),
    status: 200,
    message: 'Sessions',
  }),
  endSession: operation({
    id: 'account.end-session',
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    envelope: 'account',
    auth: 'member',
    summary: 'End one session of the caller',
    description: 'Its token stops working at once. To end the own session is to sign out.',
    input: v.object({ id: recordId }),
    reply: v.object({}),
    status: 200,
    message: 'Session ended',
    errors: ['SESSION_NOT_FOUND'],
  }),
};
