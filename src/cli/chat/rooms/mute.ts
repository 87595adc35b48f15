import { perform } from '../../../client/perform.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { moment } from '../../kit/screen.ts';
import { memberNamed } from '../members.ts';
import { wordsOf, durationOf, roomAndMember, neededForFlag, reasonFlag } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function muteIn(type: RoomType) {
  return class Mute extends ApiCommand {
    static override summary = 'Stop a member from speaking for a while';
    static override description =
      'For moderators and above, of members with a lower role. It ends by itself, and holds if the member leaves and comes back.';
    static override examples = [`<%= config.bin %> chat ${type} mute ${wordsOf[type].example} dan --for 1h`];
    static override args = roomAndMember(type);
    static override flags = { ...neededForFlag, ...reasonFlag };

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Mute);
      await using client = await this.connect(flags);
      const { id, title } = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const reply = await perform(client, roomOperations[type].mute, {
        conversationId: id,
        memberId,
        durationMs: durationOf(flags.for, Date.now()),
        ...(flags.reason !== undefined && { reason: flags.reason }),
      });
      await this.answer({ memberId, ...reply }, (screen) =>
        escapeForTerminal(`${args.member} is muted in #${title} until ${moment(screen, reply.until)}.`),
      );
    }
  };
}
