import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { forWithBan, groupAndMember, measureOf, reasonFlag } from '../../../src/cli/chat/group-arguments.ts';
import { memberNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Kick extends ApiCommand {
  static override summary = 'Remove a member from a group as a moderator';
  static override description =
    'For moderators and above, of members with a lower role. Without --ban they can be added again.';
  static override examples = [
    '<%= config.bin %> chat group kick "tea party" dan --reason "Advertising"',
    '<%= config.bin %> chat group kick "tea party" dan --ban --for 1w',
  ];
  static override args = groupAndMember;
  static override flags = {
    ban: Flags.boolean({ description: 'keep them out' }),
    ...forWithBan,
    ...reasonFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Kick);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberId = await memberNamed(client, args.member);
    const reply = await perform(client, chat.groupKick, {
      conversationId: id,
      memberId,
      ban: flags.ban,
      ...measureOf(flags),
    });
    await this.answer({ memberId, ...reply }, () =>
      escapeForTerminal(
        `${args.member} is ${flags.ban ? 'banned from' : 'not in'} #${title}${flags.ban ? '' : ' any more'}.`,
      ),
    );
  }
}
