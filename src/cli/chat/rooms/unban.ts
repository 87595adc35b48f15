import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { memberNamed } from '../members.ts';
import { wordsOf, roomAndMember } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function unbanFrom(type: RoomType) {
  return class Unban extends ApiCommand {
    static override summary = 'Lift a ban';
    static override description = `For moderators and above. Whoever was banned ${wordsOf[type].canReturn}.`;
    static override examples = [`<%= config.bin %> chat ${type} unban ${wordsOf[type].example} dan`];
    static override args = roomAndMember(type);

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Unban);
      await using client = await this.connect(flags);
      const { id, title } = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const reply = await perform(client, roomOperations[type].unban, { conversationId: id, memberId });
      await this.answer({ memberId, ...reply }, () =>
        escapeForTerminal(`${args.member} is not banned from #${title}.`),
      );
    }
  };
}
