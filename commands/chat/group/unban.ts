import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupAndMember } from '../../../src/cli/chat/group-arguments.ts';
import { memberNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Unban extends ApiCommand {
  static override summary = 'Lift a ban';
  static override description = 'For moderators and above. Whoever was banned can be added again.';
  static override examples = ['<%= config.bin %> chat group unban "tea party" dan'];
  static override args = groupAndMember;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unban);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberId = await memberNamed(client, args.member);
    const reply = await perform(client, chat.groupUnban, { conversationId: id, memberId });
    await this.answer({ memberId, ...reply }, () => escapeForTerminal(`${args.member} is not banned from #${title}.`));
  }
}
