import { Flags } from '@oclif/core';
import { namesOfConversations } from '../../../src/cli/chat/own-conversations.ts';
import { scheduledPage, scheduledTable } from '../../../src/cli/chat/scheduling.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { checkedConversation } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';

export default class List extends ChatCommand {
  static override summary = 'List your messages that are sent later, the next one first';
  static override description = 'Those that failed stay in the list until you change or remove them.';
  static override examples = ['<%= config.bin %> chat scheduled list'];
  static override flags = {
    in: Flags.string({
      description: 'only in this conversation: username or id of the other member, a name, or an id',
      helpValue: 'WITH',
    }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const within = flags.in === undefined ? undefined : (await checkedConversation(this.side(client), flags.in)).id;
    const page = await scheduledPage(client, within, shownBy(flags));
    const names =
      flags.json || page.items.length === 0 ? new Map<string, string>() : await namesOfConversations(client);
    await this.answer(page, (screen) => scheduledTable(screen, page.items, names));
    if (page.items.length === 0) this.say('No message is scheduled.');
    if (page.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
