import { Args } from '@oclif/core';
import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { chatKeyFlag } from '../../accounts/own-key.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { membersNamed } from '../members.ts';
import { addingWithKey } from '../sealed/changing.ts';
import { ChatCommand } from '../sealed/chat-command.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function addTo(type: RoomType) {
  return class Add extends ChatCommand {
    static override summary = `Add members of this node to a ${type}`;
    static override description = `For the owner and admins. All of those named are added, or none. They see what ${wordsOf[type].newMembersSee}.`;
    static override examples = [`<%= config.bin %> chat ${type} add ${wordsOf[type].example} dan`];
    static override usage = `chat ${type} add ${type.toUpperCase()} MEMBER...`;
    static override strict = false;
    static override args = {
      ...roomArgument(type),
      member: Args.string({ description: 'usernames or ids of members', required: true }),
    };
    static override flags = chatKeyFlag;

    async run(): Promise<void> {
      const { args, argv, flags } = await this.parse(Add);
      await using client = await this.connect(flags);
      const room = await checkedRoom(client, args[type], type);
      const memberIds = await membersNamed(client, (argv as string[]).slice(1));
      const { id, title } = room;
      const reply = await addingWithKey(this.side(client, flags), room, memberIds, async (epoch) => {
        return await perform(client, roomOperations[type].add, { conversationId: id, memberIds, epoch });
      });
      await this.answer(reply, () => escapeForTerminal(`Added ${counted(reply.added.length, 'member')} to #${title}.`));
    }
  };
}
