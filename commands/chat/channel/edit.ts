import { perform } from '../../../src/client/perform.ts';
import { channelChange, channelFlags } from '../../../src/cli/chat/channel-flags.ts';
import { factPairs } from '../../../src/cli/chat/channel-views.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { details } from '../../../src/cli/kit/table.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change the name, the topic or the visibility of a channel';
  static override description =
    'For the owner. What is not named stays. A channel that becomes public is asked about before. With --show-history, new members see what is said from then on, and nothing of before.';
  static override examples = [
    '<%= config.bin %> chat channel edit tea --topic "Leaves only"',
    '<%= config.bin %> chat channel edit tea --visibility secret --hide-history',
  ];
  static override args = roomArgument('channel');
  static override flags = { ...channelFlags, ...yesFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const change = channelChange(flags);
    await using client = await this.connect(flags);
    const { id: conversationId, title, visibility } = await checkedRoom(client, args.channel, 'channel');
    const isOpened = change.visibility === 'public' && visibility !== 'public';
    const words = `Make #${title} public? Every member of this node can join it then, and read what new members see.`;
    await confirmed(this.terminal, flags.yes || !isOpened, escapeForTerminal(words));
    const channel = await perform(client, chat.updateChannel, { conversationId, ...change });
    await this.answer(channel, (screen) => details(screen, factPairs(channel)));
  }
}
