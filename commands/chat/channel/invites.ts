import { shellWord } from '../../../src/cli/kit/shell-word.ts';
import { perform } from '../../../src/client/perform.ts';
import { inviteColumns } from '../../../src/cli/chat/channel-views.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Invites extends ApiCommand {
  static override summary = 'List the invites to a channel that are in force, the oldest first';
  static override description = 'For the owner and admins. Nobody is shown the invites themselves again.';
  static override examples = ['<%= config.bin %> chat channel invites tea'];
  static override args = roomArgument('channel');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Invites);
    await using client = await this.connect(flags);
    const { id, title } = await checkedRoom(client, args.channel, 'channel');
    const { items } = await perform(client, chat.invites, { conversationId: id });
    await this.answer({ items }, (screen) => table(screen, items, inviteColumns(items)));
    if (items.length === 0)
      this.say(
        `No invite to #${title} is in force. To make one, run: conclave chat channel invite ${shellWord(title)}`,
      );
  }
}
