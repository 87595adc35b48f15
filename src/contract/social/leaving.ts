import * as v from 'valibot';
import { passwordLimits } from '../accounts/limits.ts';
import { operation } from '../operation.ts';
import { actorField, secretText } from '../text.ts';
import { personName, profile } from './person.ts';

/** Leaving the social network for good, and coming back to an empty place. */
export const leaving = {
  leave: operation({
    id: 'social.leave',
    method: 'DELETE',
    path: '/api/social/users/:id',
    envelope: 'social',
    auth: 'member',
    summary: 'Erase all that you have in the social network',
    description:
      'It cannot be undone. You are gone for everybody at once: profile, posts, likes, votes, follows, lists, bookmarks, filters, reports, notifications and archives. They are erased in the background. Your account, and whom you block, stay.',
    input: v.object({ id: personName, userId: actorField, password: secretText(passwordLimits.max) }),
    reply: v.object({}),
    status: 202,
    message: 'Leaving begun',
    limit: { name: 'signIn', account: [] },
    errors: ['MEMBER_NOT_FOUND', 'FORBIDDEN', 'INVALID_CREDENTIALS', 'OVERLOADED', 'OWNS_HUBS'],
  }),
  join: operation({
    id: 'social.join',
    method: 'POST',
    path: '/api/social/users',
    envelope: 'social',
    auth: 'member',
    summary: 'Come back to the social network after you left it',
    description: 'With an empty profile. It is possible when everything is erased.',
    input: v.object({ userId: actorField }),
    reply: profile,
    status: 201,
    message: 'Joined',
    errors: ['LEAVING', 'ALREADY_JOINED', 'FORBIDDEN'],
  }),
};
