import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubNamed } from '../../../src/cli/social/hub-named.ts';
import { reportColumns } from '../../../src/cli/social/report-columns.ts';
import { reportStates, type ReportState } from '../../../src/contract/social/reports.ts';
import { social } from '../../../src/contract/social.ts';

export default class List extends ApiCommand {
  static override summary = 'List reports of posts, the oldest first';
  static override description = 'Administrators see all, moderators those of their hubs, and everybody their own.';
  static override examples = [
    '<%= config.bin %> social reports list --status pending',
    '<%= config.bin %> social reports list --hub garden',
  ];
  static override flags = {
    status: Flags.string({ description: 'only these', options: [...reportStates], default: 'pending' }),
    hub: Flags.string({ description: 'only reports to this hub', helpValue: 'HUB' }),
    ...pageFlags(200),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const filter = {
      status: flags.status as ReportState,
      ...(flags.hub !== undefined && { hubId: (await hubNamed(client, flags.hub)).id }),
    };
    const found = await collectPages(client, social.listReports, filter, 'reports', shownBy(flags));
    const { items: reports, ...more } = found;
    await this.answer({ reports, ...more }, (screen) => table(screen, reports, reportColumns));
    if (reports.length === 0) this.say('There are no reports.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
