import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { modeFlag } from '../../../src/cli/chat/arguments.ts';
import { newChannelFlags } from '../../../src/cli/chat/channel-flags.ts';
import { bare } from '../../../src/cli/chat/rooms/find-room.ts';
import { beginning } from '../../../src/cli/chat/sealed/beginning.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';
import type { ChannelVisibility } from '../../../src/contract/chat/conversation.ts';

export default class Create extends ChatCommand {
  static override summary = 'Create a channel, as its owner';
  static override description =
    'Its name is unique on this node: lower-case letters, digits, _ and -. Any member finds and joins a public channel. A private one is found, and secret and invisible ones are listed nowhere; all three are joined by an invite. With --mode client only its members can read what is said, and those who join wait until a member gives them the key: conclave chat admit';
  static override examples = [
    '<%= config.bin %> chat channel create tea --topic "Leaves, not bags"',
    '<%= config.bin %> chat channel create cake-plans --visibility secret --hide-history',
    '<%= config.bin %> chat channel create board --visibility private --mode client',
  ];
  static override args = { name: Args.string({ description: 'name of the channel', required: true }) };
  static override flags = { ...newChannelFlags, ...modeFlag, ...chatKeyFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const facts = {
      name: bare(args.name),
      visibility: flags.visibility as ChannelVisibility,
      ...(flags.mode !== 'client' && { historyVisibleToNewMembers: !flags['hide-history'] }),
      ...(flags.topic !== undefined && { topic: flags.topic }),
    };
    const channel = await beginning(
      side,
      [],
      flags.mode,
      async (input) => await perform(client, chat.createChannel, { ...facts, ...input }),
      (made) => ({ type: 'channel', title: made.name }),
    );
    await this.answer(channel, () =>
      escapeForTerminal(`Created the ${channel.visibility} channel #${channel.name}: ${channel.id}`),
    );
  }
}
