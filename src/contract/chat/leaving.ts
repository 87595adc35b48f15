import * as v from 'valibot';
import { passwordLimits } from '../accounts/limits.ts';
import { operation } from '../operation.ts';
import { secretText } from '../text.ts';

const path = '/api/chat/leave';
const common = { envelope: 'social', auth: 'member' } as const;

const state = v.object({
  leaving: v.pipe(v.boolean(), v.description('whether something is still being erased')),
  conversations: v.pipe(
    v.number(),
    v.description('conversations in which you have something, also of those that you left before'),
  ),
});
export type LeavingState = v.InferOutput<typeof state>;

/** Leaving all conversations for good. */
export const leaving = {
  leaveAll: operation({
    ...common,
    id: 'chat.leave-all',
    method: 'POST',
    path,
    summary: 'Leave all conversations, and erase what you have in them',
    description:
      'It cannot be undone. Conversations of two are deleted for both. In groups and channels your messages and reactions are erased, and what you own goes to the longest-standing admin, moderator or member. It is done in the background, and what you begin before it is done goes as well. Conversations of the social network, your account, and whom you block, stay.',
    input: v.object({ password: secretText(passwordLimits.max) }),
    reply: state,
    status: 202,
    message: 'Leaving begun',
    limit: { name: 'signIn', account: [] },
    errors: ['INVALID_CREDENTIALS', 'OVERLOADED'],
  }),
  leavingState: operation({
    ...common,
    id: 'chat.leaving',
    method: 'GET',
    path,
    summary: 'Show what is left of leaving all conversations',
    description: 'Conversations are left one after another, so their number goes down to 0 until it is done.',
    input: v.object({}),
    reply: state,
    status: 200,
    message: 'Leaving',
    errors: [],
  }),
};
