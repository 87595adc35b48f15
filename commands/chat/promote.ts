import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { membersNamed } from '../../src/cli/chat/members.ts';
import { addingWithKey } from '../../src/cli/chat/sealed/changing.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../src/contract/chat.ts';
import type { SentEpoch } from '../../src/contract/chat/client-mode.ts';

export default class Promote extends ChatCommand {
  static override summary = 'Make a group of a conversation of two, with more members';
  static override description =
    'All that was said goes with it: you are its owner, the other one is an admin. Those who are added see what is said from then on. The two of you can begin a new conversation.';
  static override usage = 'chat promote WITH MEMBER...';
  static override examples = ['<%= config.bin %> chat promote bob cleo dan --name "tea party"'];
  static override strict = false;
  static override args = {
    with: Args.string({ description: 'username or id of the other member, or id of the conversation', required: true }),
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };
  static override flags = {
    name: Flags.string({ description: 'name of the group; without it, the usernames of all', helpValue: 'NAME' }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Promote);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const pair = await checkedConversation(side, args.with);
    const newMemberIds = await membersNamed(client, (argv as string[]).slice(1));
    const named = flags.name !== undefined && { name: flags.name };
    const input = { conversationId: pair.id, newMemberIds, ...named };
    const act = async (epoch: SentEpoch | undefined) => await perform(client, chat.promote, { ...input, epoch });
    const reply = await addingWithKey(side, pair, newMemberIds, act, ({ name }) => {
      return { ...pair, type: 'group', title: name };
    });
    await this.answer(reply, () =>
      escapeForTerminal(`The group is #${reply.name}, with ${counted(reply.members.length, 'member')}.`),
    );
  }
}
