import { Flags } from '@oclif/core';
import { conversationTable } from '../../src/cli/chat/conversation-table.ts';
import { pageOfConversations } from '../../src/cli/chat/own-conversations.ts';
import { withoutPreviews } from '../../src/cli/chat/sealed/searching.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';

export default class List extends ApiCommand {
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
    const { items: found, ...more } = await pageOfConversations(client, flags.archived, shownBy(flags));
    const all = await withoutPreviews(client, found);
    const items = all.filter((one) => !('isSocial' in one));
    const social = all.flatMap((one) => ('isSocial' in one ? [one.conversation] : []));
    await this.answer({ items, social, ...more }, (screen) => conversationTable(screen, all, true));
    if (all.length === 0) this.say('There are no conversations here.');
    if (social.length > 0) this.say('To read those of the social network, run: conclave social message read NAME');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
