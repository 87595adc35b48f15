import { channelPairs } from '../../../src/cli/chat/channel-views.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedChannel } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { details } from '../../../src/cli/kit/table.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a channel, your role in it, and what you have chosen for it';
  static override description =
    'Of a public channel that you are not in, what everybody may know. With --json, members with their roles too.';
  static override examples = ['<%= config.bin %> chat channel show tea'];
  static override args = roomArgument('channel');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const channel = await checkedChannel(client, args.channel);
    await this.answer(channel, (screen) => details(screen, channelPairs(screen, channel)));
  }
}
