import { Args } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { nameOf } from '../../src/cli/chat/conversation-table.ts';
import { roomTypes } from '../../src/cli/chat/rooms/find-room.ts';
import { checkedRoom } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { admitMembers } from '../../src/cli/chat/sealed/admitting.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Admit extends ChatCommand {
  static override summary = 'Give the key of a group or channel to members who wait for it';
  static override description =
    'Whoever joins a channel that only its members can read waits for the key. It is encrypted to them here, and they read what is said from then on. For the owner and admins. Make sure before that they are who they say.';
  static override usage = 'chat admit ROOM MEMBER...';
  static override examples = ['<%= config.bin %> chat admit tea dan'];
  static override strict = false;
  static override args = {
    room: Args.string({ description: 'name of the group or channel, with or without #, or its id', required: true }),
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Admit);
    await using client = await this.connect(flags);
    const room = await checkedRoom(client, args.room, ...roomTypes);
    const names = (argv as string[]).slice(1);
    const admitted = await admitMembers(this.side(client, flags), room, names);
    await this.answer({ conversationId: room.id, admitted }, () =>
      escapeForTerminal(`Gave the key of ${nameOf(room)} to ${counted(admitted.length, 'member')}.`),
    );
  }
}
