import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { details } from '../../../../src/cli/kit/table.ts';
import { groupArgument } from '../../../../src/cli/social/messages/arguments.ts';
import { socialGroupNamed } from '../../../../src/cli/social/messages/find-conversation.ts';
import { changeIn, groupFlags, pictureFor } from '../../../../src/cli/social/messages/groups.ts';
import { social } from '../../../../src/contract/social.ts';

export default class Settings extends ApiCommand {
  static override summary = 'Change the name or the picture of a group';
  static override description =
    'Everybody who is in it can, and all see it. What only you see of it is changed with: conclave social message settings';
  static override examples = [
    '<%= config.bin %> social message group settings "tea party" --name "Tea at five"',
    '<%= config.bin %> social message group settings "tea party" --picture tea.jpg',
  ];
  static override args = groupArgument;
  static override flags = groupFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Settings);
    const change = changeIn(flags);
    await using client = await this.connect(flags);
    const { id } = await socialGroupNamed(client, args.name);
    const picture = await pictureFor(this.terminal, client, flags.picture);
    const group = await perform(client, social.changeConversation, { id, ...change, ...picture });
    await this.answer(group, (screen) =>
      details(screen, [
        ['Name', group.title],
        ['Picture', group.avatarUrl ?? '-'],
      ]),
    );
  }
}
