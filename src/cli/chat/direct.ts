import type { Client } from '../../client/client.ts';
import { collectPages, type Collected } from '../../client/pages.ts';
import { chat } from '../../contract/chat.ts';
import type { Conversation } from '../../contract/chat/conversation.ts';
import type { Shown } from '../kit/list-command.ts';
import { withoutPreviews } from './sealed/searching.ts';

/** The conversations of two of the caller, the newest activity first. */
export async function listDirect(client: Client, archived: boolean, shown: Shown): Promise<Collected<Conversation>> {
  const filter = { archived: archived ? 'true' : 'false' } as const;
  const found = await collectPages(client, chat.listConversations, filter, 'items', shown);
  return { ...found, items: await withoutPreviews(client, found.items) };
}
