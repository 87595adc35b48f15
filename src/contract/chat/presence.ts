import * as v from 'valibot';
import { operation } from '../operation.ts';
import { memberId } from '../text.ts';
import { chatLimits } from './limits.ts';

const chosen = ['online', 'idle', 'dnd'] as const;
/** What a member sets. */
export const chosenStatus = v.pipe(
  v.picklist(chosen, `must be one of ${chosen.join(', ')}`),
  v.description('`dnd` turns Do Not Disturb of notifications on, and the others turn it off'),
);
export type ChosenStatus = v.InferOutput<typeof chosenStatus>;

/** What others see of a member. */
export const memberPresence = v.object({ memberId, status: v.picklist([...chosen, 'offline']) });
export type MemberPresence = v.InferOutput<typeof memberPresence>;
export type PresenceStatus = MemberPresence['status'];

const most = chatLimits.watched;
export const watchedMembers = v.pipe(
  v.array(memberId, 'must be a list of ids of members'),
  v.maxLength(most, `must be at most ${most} members`),
);

const common = { envelope: 'social', auth: 'member' } as const;

export const presence = {
  showPresence: operation({
    ...common,
    id: 'chat.presence',
    method: 'GET',
    path: '/api/presence',
    scope: 'chat',
    summary: 'See who is there',
    description:
      'Of members with whom you are in a conversation, in the order in which you ask. Somebody whom you may not see, or who does not exist, is `offline`, and so is everybody if either of you does not show the online status in the privacy settings. Of yourself you see what others see; `own` is what you have set, which shows while you have a socket.',
    input: v.object({
      memberIds: v.optional(v.pipe(v.union([memberId, watchedMembers]), v.description('may be repeated'))),
    }),
    reply: v.object({ own: chosenStatus, items: v.array(memberPresence) }),
    status: 200,
    message: 'Presence',
    errors: [],
    limit: { name: 'chatRead' },
  }),
  setPresence: operation({
    ...common,
    id: 'chat.set-presence',
    method: 'PUT',
    path: '/api/presence',
    summary: 'Set whether you are there',
    description: 'It holds until you set another one, and others see it while you have a socket.',
    input: v.object({ status: chosenStatus }),
    reply: v.object({ own: chosenStatus }),
    status: 200,
    message: 'Presence set',
    errors: [],
    limit: { name: 'chatPresence' },
  }),
};
