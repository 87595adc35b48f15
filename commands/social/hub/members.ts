import { collectPages } from '../../../src/client/pages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { hubMemberColumns } from '../../../src/cli/social/hub-views.ts';
import { social } from '../../../src/contract/social.ts';

export default class Members extends ApiCommand {
  static override summary = 'List the members of a hub, in the order in which they joined';
  static override description = 'Of an encrypted hub for its members alone.';
  static override examples = ['<%= config.bin %> social hub members garden'];
  static override args = hubArgument;
  static override flags = pageFlags(200);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Members);
    await using client = await this.connect(flags);
    const { id } = await hubNamed(client, args.hub);
    const { items, ...more } = await collectPages(client, social.listHubMembers, { id }, 'items', shownBy(flags));
    await this.answer({ items, ...more }, (screen) => table(screen, items, hubMemberColumns));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
