import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { moment } from '../../kit/screen.ts';
import { memberNamed } from '../members.ts';
import { wordsOf, forFlag, roomAndMember, measureOf, reasonFlag } from './arguments.ts';
import { roomNamed } from './find-room.ts';
import { roomOperations } from './operations.ts';

export function banFrom(type: RoomType) {
  return class Ban extends ApiCommand {
    static override summary = `Keep somebody out of a ${type}, who may be in it or not`;
    static override description =
      'For moderators and above, of members with a lower role. Without --for it holds until it is lifted.';
    static override examples = [
      `<%= config.bin %> chat ${type} ban ${wordsOf[type].example} dan --for 1w --reason "Advertising"`,
    ];
    static override args = roomAndMember(type);
    static override flags = { ...forFlag, ...reasonFlag };

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Ban);
      await using client = await this.connect(flags);
      const { id, title } = await roomNamed(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const reply = await perform(client, roomOperations[type].ban, {
        conversationId: id,
        memberId,
        ...measureOf(flags),
      });
      await this.answer({ memberId, ...reply }, (screen) => {
        const until = reply.until === null ? '' : ` until ${moment(screen, reply.until)}`;
        return escapeForTerminal(`${args.member} is banned from #${title}${until}.`);
      });
    }
  };
}
