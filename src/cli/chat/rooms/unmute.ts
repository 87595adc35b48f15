import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { memberNamed } from '../members.ts';
import { wordsOf, roomAndMember } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function unmuteIn(type: RoomType) {
  return class Unmute extends ApiCommand {
    static override summary = 'Let a member speak again';
    static override description = 'For moderators and above.';
    static override examples = [`<%= config.bin %> chat ${type} unmute ${wordsOf[type].example} dan`];
    static override args = roomAndMember(type);

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Unmute);
      await using client = await this.connect(flags);
      const { id, title } = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const reply = await perform(client, roomOperations[type].unmute, { conversationId: id, memberId });
      await this.answer({ memberId, ...reply }, () => escapeForTerminal(`${args.member} can speak in #${title}.`));
    }
  };
}
