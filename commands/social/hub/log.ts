import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { logColumns } from '../../../src/cli/social/hub-views.ts';
import { hubActions, type HubAction } from '../../../src/contract/social/hub.ts';
import { social } from '../../../src/contract/social.ts';

export default class Log extends ApiCommand {
  static override summary = 'List what owner and moderators of a hub did, the latest first';
  static override description = 'For its owner and moderators.';
  static override examples = ['<%= config.bin %> social hub log garden --person bob'];
  static override args = hubArgument;
  static override flags = {
    action: Flags.string({ description: 'only these', options: [...hubActions] }),
    person: Flags.string({ description: 'only what concerns this member', helpValue: 'MEMBER' }),
    ...pageFlags(200),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Log);
    await using client = await this.connect(flags);
    const { id } = await hubNamed(client, args.hub);
    const filter = {
      id,
      ...(flags.action !== undefined && { action: flags.action as HubAction }),
      ...(flags.person !== undefined && { userId: flags.person }),
    };
    const found = await collectPages(client, social.listModerationLog, filter, 'entries', shownBy(flags));
    const { items: entries, ...more } = found;
    await this.answer({ entries, ...more }, (screen) => table(screen, entries, logColumns));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
