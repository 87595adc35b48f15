import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { newChannelFlags } from '../../../src/cli/chat/channel-flags.ts';
import { bare } from '../../../src/cli/chat/rooms/find-room.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';
import type { ChannelVisibility } from '../../../src/contract/chat/conversation.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a channel, as its owner';
  static override description =
    'Its name is unique on this node: lower-case letters, digits, _ and -. Any member finds and joins a public channel. A private one is found, and secret and invisible ones are listed nowhere; all three are joined by an invite.';
  static override examples = [
    '<%= config.bin %> chat channel create tea --topic "Leaves, not bags"',
    '<%= config.bin %> chat channel create cake-plans --visibility secret --hide-history',
  ];
  static override args = { name: Args.string({ description: 'name of the channel', required: true }) };
  static override flags = newChannelFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const channel = await perform(client, chat.createChannel, {
      name: bare(args.name),
      visibility: flags.visibility as ChannelVisibility,
      historyVisibleToNewMembers: !flags['hide-history'],
      ...(flags.topic !== undefined && { topic: flags.topic }),
    });
    await this.answer(channel, () =>
      escapeForTerminal(`Created the ${channel.visibility} channel #${channel.name}: ${channel.id}`),
    );
  }
}
