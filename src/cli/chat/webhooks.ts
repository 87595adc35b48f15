import { Args } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import type { Webhook } from '../../contract/chat/webhooks.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { shellWord } from '../kit/shell-word.ts';
import { moment } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';
import { checkedRoom } from './sealed/checked-conversation.ts';
import { nameOr } from './rooms/views.ts';

export const hookRoomArgument = {
  conversation: Args.string({ description: 'name or id of a group or channel that you own', required: true }),
};

const operations = {
  group: { create: chat.groupCreateWebhook, list: chat.groupWebhooks, remove: chat.groupRemoveWebhook },
  channel: { create: chat.channelCreateWebhook, list: chat.channelWebhooks, remove: chat.channelRemoveWebhook },
};

/** The group or channel that a person names, with what there is of its webhooks. @throws Problem as `checkedRoom` does */
export async function hooksOfRoom(client: Client, text: string) {
  const room = await checkedRoom(client, text, 'group', 'channel');
  return { room, ...operations[room.type === 'group' ? 'group' : 'channel'] };
}

export const hookColumns: Column<Webhook>[] = [
  { title: 'NAME', of: ({ name }) => name, main: true },
  { title: 'BY', of: ({ createdBy, createdByName }) => nameOr(createdBy, createdByName) },
  { title: 'SINCE', of: ({ createdAt }, screen) => moment(screen, createdAt) },
  { title: 'ID', of: ({ webhookId }) => webhookId, whole: true },
];

/** A webhook, by its name or by eight or more digits of its id. @throws Problem missing WEBHOOK_NOT_FOUND, conflict AMBIGUOUS */
export async function hookNamed(
  caller: Caller,
  {
    room,
    list,
  }: { readonly room: Conversation; readonly list: typeof chat.groupWebhooks | typeof chat.channelWebhooks },
  text: string,
): Promise<Webhook> {
  const { items } = await perform(caller, list, { conversationId: room.id });
  const named = items.filter(({ name }) => name === text);
  if (named.length === 1 && named[0] !== undefined) return named[0];
  const message = `#${room.title} has no webhook ${JSON.stringify(text)}. To list them, run: conclave chat webhook list ${shellWord(room.title)}`;
  const missing = () => new Problem('missing', 'WEBHOOK_NOT_FOUND', message);
  const candidates = (named.length > 1 ? named : items).map(({ webhookId: id, name }) => ({ id, label: name }));
  const id = await idFrom(text, async () => candidates, missing);
  const found = items.find(({ webhookId }) => webhookId === id);
  if (found === undefined) throw missing();
  return found;
}
