import type { Client } from '../../client/client.ts';
import type { Shown } from '../kit/list-command.ts';
import { conversationTable } from './conversation-table.ts';
import { pageOfConversations } from './own-conversations.ts';
import { ChatCommand } from './sealed/chat-command.ts';
import { withoutPreviews } from './sealed/searching.ts';

/** A command that lists conversations of chat and of the social network. */
export abstract class ConversationListCommand extends ChatCommand {
  protected async list(client: Client, archived: boolean, shown: Shown): Promise<void> {
    const { items: found, ...more } = await pageOfConversations(client, archived, shown);
    const all = await withoutPreviews(client, found);
    const items = all.filter((one) => !('isSocial' in one));
    const social = all.flatMap((one) => ('isSocial' in one ? [one.conversation] : []));
    await this.answer({ items, social, ...more }, (screen) => conversationTable(screen, all, true));
    if (all.length === 0) this.say('There are no conversations here.');
    if (social.length > 0) this.say('To read those of the social network, run: conclave social message read NAME');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
