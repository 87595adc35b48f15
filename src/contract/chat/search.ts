import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { atLeast, line } from '../text.ts';
import { chatLimits, searchedKinds } from './limits.ts';
import { chatMessage } from './message.ts';
import { inConversation, roots } from './paths.ts';

const common = { envelope: 'social', auth: 'member', scope: 'chat' } as const;
const pages = { limit: 20, most: 100, end: 'null' } as const;

const query = v.pipe(
  line(chatLimits.searchText),
  v.trim(),
  atLeast(2),
  v.metadata({ minLength: 2 }),
  v.description(`2 to ${chatLimits.searchText} characters: words and conditions`),
);

const conditions = `\`from:NAME\` finds what a member said (\`me\` is you), \`before:2026-01-31\` what was said before the day in UTC, or before a time, and \`has:\` messages with ${searchedKinds.join(', ')}.`;
const words =
  'A message is found if it has all words, each as a whole, in any order and without regard to case and accents. All other characters than letters and digits separate words.';

/** Searching what was said. */
export const search = {
  searchChannel: operation({
    ...common,
    id: 'chat.search-channel',
    bot: 'read',
    method: 'GET',
    path: `${roots.channel}/:conversationId/messages/search`,
    summary: 'Search the messages of a channel, the best answers first',
    description: `${words} ${conditions} Only what you may read is found, and nothing of what a block hides.`,
    ...paged({
      name: 'items',
      of: v.object({
        ...chatMessage.entries,
        relevanceScore: v.pipe(v.number(), v.description('how well it fits; greater is better')),
      }),
      filter: { ...inConversation, query },
      ...pages,
      errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'CLIENT_ENCRYPTED'],
    }),
    status: 200,
    message: 'Messages found',
  }),
  searchChat: operation({
    ...common,
    id: 'chat.search',
    bot: 'read',
    method: 'GET',
    path: '/api/chat/search',
    summary: 'Search your conversations, the newest messages first',
    description: `${words} ${conditions} \`in:\` takes the id of a conversation of yours, the name of a channel or of a group without spaces, or the username of who you talk to; without it, the ${chatLimits.searchedTogether} conversations with the newest activity are searched. A page can be shorter than \`limit\`, and \`hasMore\` says whether others follow.`,
    ...paged({ name: 'items', of: chatMessage, filter: { q: query }, ...pages, errors: ['CLIENT_ENCRYPTED'] }),
    status: 200,
    message: 'Messages found',
  }),
};
