import { Flags } from '@oclif/core';
import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { chatKeyFlag } from '../../accounts/own-key.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { memberNamed } from '../members.ts';
import { removingWithKey } from '../sealed/changing.ts';
import { ChatCommand } from '../sealed/chat-command.ts';
import { wordsOf, forWithBan, roomAndMember, measureOf, reasonFlag } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function kickFrom(type: RoomType) {
  return class Kick extends ChatCommand {
    static override summary = `Remove a member from a ${type} as a moderator`;
    static override description = `For moderators and above, of members with a lower role. Without --ban they ${wordsOf[type].canReturn}.`;
    static override examples = [
      `<%= config.bin %> chat ${type} kick ${wordsOf[type].example} dan --reason "Advertising"`,
      `<%= config.bin %> chat ${type} kick ${wordsOf[type].example} dan --ban --for 1w`,
    ];
    static override args = roomAndMember(type);
    static override flags = {
      ban: Flags.boolean({ description: 'keep them out' }),
      ...forWithBan,
      ...reasonFlag,
      ...chatKeyFlag,
    };

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Kick);
      await using client = await this.connect(flags);
      const room = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const { id: conversationId, title } = room;
      const input = { conversationId, memberId, ban: flags.ban, ...measureOf(flags) };
      const reply = await removingWithKey(this.side(client, flags), room, memberId, async (epoch) => {
        return await perform(client, roomOperations[type].kick, { ...input, epoch });
      });
      await this.answer({ memberId, ...reply }, () =>
        escapeForTerminal(
          `${args.member} is ${flags.ban ? 'banned from' : 'not in'} #${title}${flags.ban ? '' : ' any more'}.`,
        ),
      );
    }
  };
}
