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

/** The session of a token, and the others of its member. */
export const sessions = {
  verify: operation({
    id: 'account.verify',
    method: 'GET',
    path: '/api/user/verify',
    envelope: 'account',
    auth: 'member',
    summary: 'Check the token and say whose it is',
    description: 'The cheapest way to see whether a token still works.',
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
    summary: 'Give the session a new token; the old one works 30 seconds more',
    description: 'The new token is in the header `Authorization` as well. Several refreshes at once do no harm.',
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
    description: 'The token works no more from this moment on, and sockets of the session are closed.',
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
    description: 'Newest first, with the one of this token marked as `current`.',
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
    description: 'Its token works no more from this moment on. Ending the own session is signing out.',
    input: v.object({ id: recordId }),
    reply: v.object({}),
    status: 200,
    message: 'Session ended',
    errors: ['SESSION_NOT_FOUND'],
  }),
};
