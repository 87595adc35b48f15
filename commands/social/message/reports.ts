import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { messageReportColumns } from '../../../src/cli/social/messages/views.ts';
import { reportStates, type ReportState } from '../../../src/contract/social/reports.ts';
import { social } from '../../../src/contract/social.ts';

export default class Reports extends ApiCommand {
  static override summary = 'List reports of messages, the oldest first';
  static override description = 'For administrators. Each report has the message as it was when it was reported.';
  static override examples = ['<%= config.bin %> social message reports'];
  static override flags = {
    status: Flags.string({ description: 'only these', options: [...reportStates], default: 'pending' }),
    ...pageFlags(200),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Reports);
    await using client = await this.connect(flags);
    const filter = { status: flags.status as ReportState };
    const found = await collectPages(client, social.listMessageReports, filter, 'reports', shownBy(flags));
    const { items: reports, ...more } = found;
    await this.answer({ reports, ...more }, (screen) => table(screen, reports, messageReportColumns));
    if (reports.length === 0) this.say('There are no reports.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
