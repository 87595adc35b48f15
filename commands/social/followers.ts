import { Args, Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { personColumns } from '../../src/cli/social/person-columns.ts';
import { social } from '../../src/contract/social.ts';

export default class Followers extends ApiCommand {
  static override summary = 'List the followers of a member, or whom a member follows';
  static override examples = [
    '<%= config.bin %> social followers ada',
    '<%= config.bin %> social followers ada --following',
  ];
  static override args = {
    person: Args.string({ description: 'id or username of the member', required: true }),
  };
  static override flags = {
    following: Flags.boolean({ description: 'list whom the member follows' }),
    ...pageFlags(200),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Followers);
    await using client = await this.connect(flags);
    const operation = flags.following ? social.listFollowing : social.listFollowers;
    const found = await collectPages(client, operation, { id: args.person }, 'people', shownBy(flags));
    const { items: people, ...more } = found;
    await this.answer({ people, ...more }, (screen) => table(screen, people, personColumns));
    if (people.length === 0) this.say('There is nobody to show.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
