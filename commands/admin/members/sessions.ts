import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { findMember } from '../../../src/cli/accounts/find-member.ts';
import { memberArgument } from '../../../src/cli/accounts/member-command.ts';
import { sessionTable } from '../../../src/cli/accounts/session-table.ts';
import { members } from '../../../src/contract/accounts/members.ts';

export default class Sessions extends ApiCommand {
  static override summary = "List a member's sessions, or end them all";
  static override examples = [
    '<%= config.bin %> admin members sessions alice',
    '<%= config.bin %> admin members sessions alice --end',
  ];
  static override args = memberArgument;
  static override flags = { end: Flags.boolean({ description: 'end all sessions' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Sessions);
    await using client = await this.connect(flags);
    const { id: memberId, username } = await findMember(client, args.member);
    if (flags.end) {
      const reply = await perform(client, members.endSessions, { memberId });
      return await this.answer(reply, () => `Ended ${reply.ended} sessions of ${username}.`);
    }
    const { items: sessions } = await collectPages(client, members.sessions, { memberId }, 'sessions');
    await this.answer({ sessions }, (screen) => sessionTable(screen, sessions));
  }
}
