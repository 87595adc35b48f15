import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { bannedColumns } from '../../../src/cli/social/hub-views.ts';
import { social } from '../../../src/contract/social.ts';

export default class Banned extends ApiCommand {
  static override summary = 'List who is banned from a hub';
  static override description = 'For its owner and moderators.';
  static override examples = ['<%= config.bin %> social hub banned garden'];
  static override args = hubArgument;
  static override flags = pageFlags(200);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Banned);
    await using client = await this.connect(flags);
    const { id } = await hubNamed(client, args.hub);
    const { items: bannedUsers, ...more } = await collectPages(
      client,
      social.listBanned,
      { id },
      'bannedUsers',
      shownBy(flags),
    );
    await this.answer({ bannedUsers, ...more }, (screen) => table(screen, bannedUsers, bannedColumns));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
