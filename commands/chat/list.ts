import { Flags } from '@oclif/core';
import { ConversationListCommand } from '../../src/cli/chat/conversation-list-command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';

export default class List extends ConversationListCommand {
  static override summary = 'List your conversations, groups and channels, the newest activity first';
  static override description =
    'Groups and channels have a # before their name. In the JSON, `title` is the username of the other member or the name of the group or channel, and `mentionCount` counts unread messages that name you. Conversations of the social network are marked, and in the JSON they are in `social`; conclave social messages has them alone.';
  static override examples = ['<%= config.bin %> chat list', '<%= config.bin %> chat list --archived'];
  static override flags = {
    archived: Flags.boolean({ description: 'list those that you archived' }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    await this.list(client, flags.archived, shownBy(flags));
  }
}
