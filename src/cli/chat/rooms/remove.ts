import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { chatKeyFlag } from '../../accounts/own-key.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { memberNamed } from '../members.ts';
import { removingWithKey } from '../sealed/changing.ts';
import { ChatCommand } from '../sealed/chat-command.ts';
import { wordsOf, roomAndMember } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function removeFrom(type: RoomType) {
  return class Remove extends ChatCommand {
    static override summary = `Remove a member from a ${type}`;
    static override description = `For the owner and admins, of members with a lower role. They ${wordsOf[type].canReturn}; to keep somebody out, ban them.`;
    static override examples = [`<%= config.bin %> chat ${type} remove ${wordsOf[type].example} dan`];
    static override args = roomAndMember(type);
    static override flags = chatKeyFlag;

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Remove);
      await using client = await this.connect(flags);
      const room = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const { id, title } = room;
      const reply = await removingWithKey(this.side(client, flags), room, memberId, async (epoch) => {
        return await perform(client, roomOperations[type].remove, { conversationId: id, memberId, epoch });
      });
      await this.answer({ memberId, ...reply }, () =>
        escapeForTerminal(`${args.member} is not in #${title} any more.`),
      );
    }
  };
}
