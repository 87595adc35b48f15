import { attachments } from './chat/attachments.ts';
import { bots } from './chat/bots.ts';
import { channels } from './chat/channels.ts';
import { direct } from './chat/direct.ts';
import { drafts } from './chat/drafts.ts';
import { epochs } from './chat/epochs.ts';
import { groups } from './chat/groups.ts';
import { invites } from './chat/invites.ts';
import { leaving } from './chat/leaving.ts';
import { members } from './chat/members.ts';
import { messages } from './chat/messages.ts';
import { moderation } from './chat/moderation.ts';
import { places } from './chat/places.ts';
import { presence } from './chat/presence.ts';
import { scheduled } from './chat/scheduled.ts';
import { search } from './chat/search.ts';
import { threads } from './chat/threads.ts';
import { webhooks } from './chat/webhooks.ts';

/** Conversations of members, prefixes `/api/conversations`, `/api/groups` and `/api/channels`. */
export const chat = {
  ...direct,
  ...epochs,
  ...groups,
  ...channels,
  ...invites,
  ...messages,
  ...threads,
  ...attachments,
  ...places,
  ...drafts,
  ...scheduled,
  ...members,
  ...moderation,
  ...presence,
  ...search,
  ...webhooks,
  ...bots,
  ...leaving,
};
