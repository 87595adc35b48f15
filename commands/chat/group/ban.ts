import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { forFlag, groupAndMember, measureOf, reasonFlag } from '../../../src/cli/chat/group-arguments.ts';
import { memberNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Ban extends ApiCommand {
  static override summary = 'Keep somebody out of a group, who may be in it or not';
  static override description =
    'For moderators and above, of members with a lower role. Without --for it holds until it is lifted.';
  static override examples = ['<%= config.bin %> chat group ban "tea party" dan --for 1w --reason "Advertising"'];
  static override args = groupAndMember;
  static override flags = { ...forFlag, ...reasonFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Ban);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberId = await memberNamed(client, args.member);
    const reply = await perform(client, chat.groupBan, { conversationId: id, memberId, ...measureOf(flags) });
    await this.answer({ memberId, ...reply }, (screen) => {
      const until = reply.until === null ? '' : ` until ${moment(screen, reply.until)}`;
      return escapeForTerminal(`${args.member} is banned from #${title}${until}.`);
    });
  }
}
