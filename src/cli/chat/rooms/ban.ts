import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { chatKeyFlag } from '../../accounts/own-key.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { moment } from '../../kit/screen.ts';
import { memberNamed } from '../members.ts';
import { removingWithKey } from '../sealed/changing.ts';
import { ChatCommand } from '../sealed/chat-command.ts';
import { wordsOf, forFlag, roomAndMember, measureOf, reasonFlag } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function banFrom(type: RoomType) {
  return class Ban extends ChatCommand {
    static override summary = `Keep somebody out of a ${type}, who may be in it or not`;
    static override description =
      'For moderators and above, of members with a lower role. Without --for it holds until it is lifted.';
    static override examples = [
      `<%= config.bin %> chat ${type} ban ${wordsOf[type].example} dan --for 1w --reason "Advertising"`,
    ];
    static override args = roomAndMember(type);
    static override flags = { ...forFlag, ...reasonFlag, ...chatKeyFlag };

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Ban);
      await using client = await this.connect(flags);
      const room = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const { id: conversationId, title } = room;
      const input = { conversationId, memberId, ...measureOf(flags) };
      const reply = await removingWithKey(this.side(client, flags), room, memberId, async (epoch) => {
        return await perform(client, roomOperations[type].ban, { ...input, epoch });
      });
      await this.answer({ memberId, ...reply }, (screen) => {
        const until = reply.until === null ? '' : ` until ${moment(screen, reply.until)}`;
        return escapeForTerminal(`${args.member} is banned from #${title}${until}.`);
      });
    }
  };
}
