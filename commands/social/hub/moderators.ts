import { Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { hubArgument, hubNamed } from '../../../src/cli/social/hub-named.ts';
import { hubMemberColumns } from '../../../src/cli/social/hub-views.ts';
import { social } from '../../../src/contract/social.ts';

export default class Moderators extends ApiCommand {
  static override summary = 'List the moderators of a hub, or change who is one';
  static override description = 'To change them is for its owner.';
  static override examples = [
    '<%= config.bin %> social hub moderators garden',
    '<%= config.bin %> social hub moderators garden --add bob',
  ];
  static override args = hubArgument;
  static override flags = {
    add: Flags.string({ description: 'make this member a moderator', helpValue: 'MEMBER', exclusive: ['remove'] }),
    remove: Flags.string({ description: 'make this moderator a plain member', helpValue: 'MEMBER' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Moderators);
    await using client = await this.connect(flags);
    const { id } = await hubNamed(client, args.hub);
    if (flags.add !== undefined) await perform(client, social.addModerator, { id, userId: flags.add });
    if (flags.remove !== undefined) await perform(client, social.removeModerator, { id, userId: flags.remove });
    const { items } = await collectPages(client, social.listHubMembers, { id }, 'items');
    const moderators = items.filter(({ role }) => role !== 'member');
    await this.answer({ moderators }, (screen) => table(screen, moderators, hubMemberColumns));
  }
}
