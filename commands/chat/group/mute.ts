import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { durationOf, groupAndMember, neededForFlag, reasonFlag } from '../../../src/cli/chat/group-arguments.ts';
import { memberNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Mute extends ApiCommand {
  static override summary = 'Stop a member from speaking for a while';
  static override description =
    'For moderators and above, of members with a lower role. It ends by itself, and holds if the member leaves and comes back.';
  static override examples = ['<%= config.bin %> chat group mute "tea party" dan --for 1h'];
  static override args = groupAndMember;
  static override flags = { ...neededForFlag, ...reasonFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mute);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberId = await memberNamed(client, args.member);
    const reply = await perform(client, chat.groupMute, {
      conversationId: id,
      memberId,
      durationMs: durationOf(flags.for, Date.now()),
      ...(flags.reason !== undefined && { reason: flags.reason }),
    });
    await this.answer({ memberId, ...reply }, (screen) =>
      escapeForTerminal(`${args.member} is muted in #${title} until ${moment(screen, reply.until)}.`),
    );
  }
}
