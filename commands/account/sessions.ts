import { Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pick } from '../../src/cli/kit/pick.ts';
import { sessionTable } from '../../src/cli/accounts/session-table.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class Sessions extends ApiCommand {
  static override summary = 'List your sessions, or end one';
  static override examples = ['<%= config.bin %> account sessions', '<%= config.bin %> account sessions --end 019aa4'];
  static override flags = {
    end: Flags.string({ description: 'end the session whose id begins with this', helpValue: 'ID' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Sessions);
    await using client = await this.connect(flags);
    const { items: sessions } = await collectPages(client, accounts.listSessions, {}, 'sessions');
    if (flags.end === undefined) return await this.answer({ sessions }, (screen) => sessionTable(screen, sessions));
    const named = sessions.map(({ id, userAgent, lastUsedAt }) => ({
      id,
      label: `${userAgent}, last used ${lastUsedAt}`,
    }));
    const { id } = pick('session', flags.end, named);
    await perform(client, accounts.endSession, { id });
    await this.answer({ ended: id }, () => `Ended session ${id}.`);
  }
}
