import { Flags } from '@oclif/core';
import { conversationTable } from '../../src/cli/chat/conversation-table.ts';
import { pageOfConversations } from '../../src/cli/chat/own-conversations.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';

export default class List extends ApiCommand {
  static override summary = 'List your conversations, groups and channels, the newest activity first';
  static override description =
    'Groups and channels have a # before their name. In the JSON, `title` is the username of the other member or the name of the group or channel, and `mentionCount` counts unread messages that name you.';
  static override examples = ['<%= config.bin %> chat list', '<%= config.bin %> chat list --archived'];
  static override flags = {
    archived: Flags.boolean({ description: 'list those that you archived' }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const { items, ...more } = await pageOfConversations(client, flags.archived, shownBy(flags));
    await this.answer({ items, ...more }, (screen) => conversationTable(screen, items));
    if (items.length === 0) this.say('There are no conversations here.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
