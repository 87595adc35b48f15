import * as v from 'valibot';
import { operation } from '../operation.ts';
import { botRights } from '../scopes.ts';
import { keepsDirection, visible } from '../shown-text.ts';
import { line, recordId, timestamp } from '../text.ts';
import { contextTypes } from './conversation.ts';
import { chatLimits } from './limits.ts';

const list = '/api/chat/bots';
const common = { envelope: 'social', auth: 'member' } as const;
const scopeRule = 'must be chat:ID:read or chat:ID:write, with the id of a conversation';

/** What a token may do in one conversation, such as `chat:0123…:write`. */
const botScope = v.pipe(
  v.string(scopeRule),
  v.regex(/^chat:[\da-f]{32}:(?:read|write)$/, scopeRule),
  v.examples(['chat:019bc1a2b3c4d5e6f708192a3b4c5d6e:write']),
);

const conversationOf = (scope: string): string | undefined => scope.split(':')[1];

const scopes = v.pipe(
  v.array(botScope, 'must be a list of scopes'),
  v.minLength(1, 'must name at least one conversation'),
  v.maxLength(chatLimits.botRooms, `must name at most ${chatLimits.botRooms} conversations`),
  v.check((all) => new Set(all.map(conversationOf)).size === all.length, 'must name each conversation at most once'),
  v.description('`chat:ID:read` or `chat:ID:write` for each conversation; `write` includes `read`'),
);

const bot = v.object({
  botId: recordId,
  name: v.string(),
  scopes: v.array(v.string()),
  conversations: v.array(
    v.object({
      conversationId: recordId,
      type: v.picklist(contextTypes),
      title: v.pipe(v.string(), v.description('what to call it: the username of the other member, or the name')),
      right: v.picklist(botRights),
    }),
  ),
  createdAt: timestamp,
  lastUsedAt: v.pipe(v.nullable(timestamp), v.description('null before the first use')),
  expiresAt: v.pipe(v.nullable(timestamp), v.description('null: never')),
});
export type ChatBot = v.InferOutput<typeof bot>;

/** Tokens for programs that read and write in some conversations of a member. */
export const bots = {
  createBot: operation({
    ...common,
    id: 'chat.create-bot',
    method: 'POST',
    path: list,
    summary: 'Make a bot token for some of your conversations, shown only once',
    description:
      'A program sends it as `Authorization: Bearer <token>`, over HTTP and WebSockets. It acts in your name, and only in the conversations that its scopes name. With `read` it reads messages, pins, members and attachments, searches, and hears what happens. With `write` it also sends, types, reacts, uploads attachments, and edits and deletes what it wrote itself; `via` in a message is the name of the token. It does nothing else: see `x-bot-scope` of the operations. What it does counts to your rates and storage. Its right ends when you leave a conversation or are removed from it, the token with the last one, and with a recovery of your account. It is refused while you are suspended. A conversation that only members can read has none.',
    input: v.object({
      name: v.pipe(
        line(chatLimits.botName),
        visible,
        keepsDirection,
        v.description('shown beside its messages, such as `deploys`'),
      ),
      scopes,
      expiresAt: v.optional(v.pipe(timestamp, v.description('in the future; the token does not expire if missing'))),
    }),
    reply: v.object({ token: v.pipe(v.string(), v.metadata({ secret: true })), bot }),
    status: 201,
    message: 'Keep this token. It is not shown again',
    secretReply: true,
    errors: ['FORBIDDEN', 'CONVERSATION_NOT_FOUND', 'PROGRAMS_CANNOT_READ', 'BOTS_FULL'],
  }),
  bots: operation({
    ...common,
    id: 'chat.bots',
    method: 'GET',
    path: list,
    summary: 'List your bot tokens, the newest first',
    description: `Without their secrets. The time of the last use is exact to a minute. There are at most ${chatLimits.bots} of them, so they come in one page.`,
    input: v.object({}),
    reply: v.object({ items: v.array(bot) }),
    status: 200,
    message: 'Bot tokens',
    errors: [],
  }),
  removeBot: operation({
    ...common,
    id: 'chat.remove-bot',
    method: 'DELETE',
    path: `${list}/:botId`,
    summary: 'End a bot token of yours',
    description: 'It is refused at once, and its sockets are closed. What was written with it stays.',
    input: v.object({ botId: recordId }),
    reply: v.object({ removed: v.literal(true) }),
    status: 200,
    message: 'Bot token removed',
    errors: ['BOT_NOT_FOUND'],
  }),
};
