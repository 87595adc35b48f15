import { attachments } from '../../contract/chat/attachments.ts';
import { bots } from '../../contract/chat/bots.ts';
import { channels } from '../../contract/chat/channels.ts';
import { direct } from '../../contract/chat/direct.ts';
import { drafts } from '../../contract/chat/drafts.ts';
import { epochs } from '../../contract/chat/epochs.ts';
import { groups } from '../../contract/chat/groups.ts';
import { invites } from '../../contract/chat/invites.ts';
import { leaving } from '../../contract/chat/leaving.ts';
import { members } from '../../contract/chat/members.ts';
import { messages } from '../../contract/chat/messages.ts';
import { moderation } from '../../contract/chat/moderation.ts';
import { places } from '../../contract/chat/places.ts';
import { presence } from '../../contract/chat/presence.ts';
import { scheduled } from '../../contract/chat/scheduled.ts';
import { search } from '../../contract/chat/search.ts';
import { threads } from '../../contract/chat/threads.ts';
import { webhooks } from '../../contract/chat/webhooks.ts';
import { implement } from '../../service/implement.ts';

export const chatImplementation = {
  ...implement(direct, () => import('./direct.ts')),
  ...implement(epochs, () => import('./epochs.ts')),
  ...implement(groups, () => import('./groups.ts')),
  ...implement(channels, () => import('./channels.ts')),
  ...implement(invites, () => import('./invites.ts')),
  ...implement(messages, () => import('./messages.ts')),
  ...implement(threads, () => import('./threads.ts')),
  ...implement(attachments, () => import('./attachments.ts')),
  ...implement(places, () => import('./places.ts')),
  ...implement(drafts, () => import('./drafts.ts')),
  ...implement(scheduled, () => import('./scheduled.ts')),
  ...implement(members, () => import('./members.ts')),
  ...implement(moderation, () => import('./moderation.ts')),
  ...implement(leaving, () => import('./leaving.ts')),
  ...implement(presence, () => import('./presence.ts')),
  ...implement(search, () => import('./search.ts')),
  ...implement(webhooks, () => import('./webhooks.ts')),
  ...implement(bots, () => import('./bots.ts')),
};
