import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { roomArgument } from '../../../src/cli/chat/rooms/arguments.ts';
import { checkedRoom } from '../../../src/cli/chat/sealed/checked-conversation.ts';
import { inviteNamed } from '../../../src/cli/chat/find-invite.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Uninvite extends ApiCommand {
  static override summary = 'End an invite to a channel';
  static override description = 'For the owner and admins. Those who joined by it stay.';
  static override examples = ['<%= config.bin %> chat channel uninvite tea 01a22b4f8d10'];
  static override args = {
    ...roomArgument('channel'),
    invite: Args.string({ description: 'id of the invite, or its first eight or more digits', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Uninvite);
    await using client = await this.connect(flags);
    const channel = await checkedRoom(client, args.channel, 'channel');
    const inviteId = await inviteNamed(client, channel, args.invite);
    const reply = await perform(client, chat.endInvite, { conversationId: channel.id, invite: inviteId });
    await this.answer({ inviteId, ...reply }, () =>
      escapeForTerminal(`Nobody can join #${channel.title} by ${inviteId} any more.`),
    );
  }
}
