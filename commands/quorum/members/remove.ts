import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { isInteractive } from '../../../src/cli/kit/terminal.ts';
import { removalWarning, removedText } from '../../../src/cli/quorum/member-views.ts';
import { peopleOf } from '../../../src/cli/quorum/people.ts';
import { quorumMembers } from '../../../src/contract/quorum/members.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a member from the quorum';
  static override description =
    'For administrators, until the quorum decides about its members itself. The shares of the member open nothing here any more. Documents of which they hold a share should be shared anew.';
  static override examples = ['<%= config.bin %> quorum members remove bob'];
  static override args = {
    member: Args.string({ description: 'name, e-mail address or id of the member', required: true }),
  };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id: memberId, metadata } = (await peopleOf(client)).find(args.member);
    const name = escapeForTerminal(metadata.name);
    if (!flags.yes && isInteractive(this.terminal)) this.say(removalWarning);
    await confirmed(this.terminal, flags.yes, `Remove ${name} (${memberId}) from the quorum?`);
    const { documents } = await perform(client, quorumMembers.removeMember, { memberId });
    await this.answer({ removed: memberId, documents }, () => removedText(name, documents));
  }
}
