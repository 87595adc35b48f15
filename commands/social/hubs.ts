import { Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { ownHubs } from '../../src/cli/social/hub-named.ts';
import { hubColumns } from '../../src/cli/social/hub-views.ts';
import { social } from '../../src/contract/social.ts';

const sorts = ['trending', 'new', 'suggested'] as const;

export default class Hubs extends ApiCommand {
  static override summary = 'List your hubs, or find others';
  static override examples = [
    '<%= config.bin %> social hubs',
    '<%= config.bin %> social hubs --explore --query garden',
  ];
  static override flags = {
    explore: Flags.boolean({ description: 'hubs of the whole node' }),
    query: Flags.string({
      description: 'part of the name, the slug or the description',
      helpValue: 'TEXT',
      dependsOn: ['explore'],
    }),
    sort: Flags.string({ description: 'order', options: [...sorts], dependsOn: ['explore'] }),
    ...pageFlags(20),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Hubs);
    await using client = await this.connect(flags);
    if (!flags.explore) {
      const { items: hubs, ...more } = await ownHubs(client, shownBy(flags));
      await this.answer({ hubs, ...more }, (screen) => table(screen, hubs, hubColumns));
      if (hubs.length === 0) this.say('You are in no hub. To find some, run: conclave social hubs --explore');
      if (more.hasMore) this.say('There are more. Use --limit or --all.');
      return;
    }
    const filter = {
      ...(flags.query !== undefined && { q: flags.query }),
      ...(flags.sort !== undefined && { sort: flags.sort as (typeof sorts)[number] }),
    };
    const found = await collectPages(client, social.exploreHubs, filter, 'hubs', shownBy(flags));
    const { items: hubs, ...more } = found;
    await this.answer({ hubs, ...more }, (screen) => table(screen, hubs, hubColumns));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
