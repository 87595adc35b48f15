import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { findMember } from '../../../src/cli/accounts/find-member.ts';
import { describeMember, memberArgument } from '../../../src/cli/accounts/member-command.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { perform } from '../../../src/client/perform.ts';
import { Flags } from '@oclif/core';

export default class ConfirmEmail extends ApiCommand {
  static override summary = 'Confirm that the e-mail address of a member is theirs';
  static override description =
    'Anybody can register with any address, so only a verified one names a member when something is shared with them or when they are added to the quorum. Ask the owner of the address in another way first. The mailbox of a member on this node needs no confirmation. A change of the address clears it.';
  static override examples = ['<%= config.bin %> admin members confirm-email alice'];
  static override args = memberArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfirmEmail);
    await using client = await this.connect(flags);
    const { id: memberId, email, username } = await findMember(client, args.member);
    const question = `Did you check that ${escapeForTerminal(email)} belongs to ${escapeForTerminal(username)} (${memberId})?`;
    await confirmed(this.terminal, flags.yes, question);
    const { member } = await perform(client, members.confirmEmail, { memberId, email });
    await this.answer(member, (screen) => describeMember(screen, member));
  }
}
