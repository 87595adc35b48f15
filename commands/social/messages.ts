import { Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { conversationTable } from '../../src/cli/chat/conversation-table.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { asListed, waitingRequests } from '../../src/cli/social/messages/own-conversations.ts';
import { social } from '../../src/contract/social.ts';

export default class Messages extends ApiCommand {
  static override summary = 'List your conversations of the social network, the newest activity first';
  static override description =
    'Groups have a # before their name. The mark `request` says that the other member has still to accept your request. In the JSON, `waitingRequests` counts those that wait for you.';
  static override examples = ['<%= config.bin %> social messages', '<%= config.bin %> social messages --archived'];
  static override flags = {
    archived: Flags.boolean({ description: 'list those that you archived' }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Messages);
    await using client = await this.connect(flags);
    const filter = { archived: flags.archived ? 'true' : 'false' } as const;
    const page = await collectPages(client, social.listConversations, filter, 'conversations', shownBy(flags));
    const { items: conversations, ...more } = page;
    const { length: waiting } = await waitingRequests(client);
    await this.answer({ conversations, ...more, waitingRequests: waiting }, (screen) =>
      conversationTable(screen, conversations.map(asListed)),
    );
    if (conversations.length === 0) this.say('There are no conversations here.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
    if (waiting > 0)
      this.say(
        `${counted(waiting, 'message request')} for you. To see who asks, run: conclave social message requests`,
      );
  }
}
