import { Args } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { counted } from '../../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../../src/cli/kit/escape-for-terminal.ts';
import { groupArgument } from '../../../../src/cli/social/messages/arguments.ts';
import { socialGroupNamed } from '../../../../src/cli/social/messages/find-conversation.ts';
import { social } from '../../../../src/contract/social.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add members to a group';
  static override description =
    'Everybody who is in it can. All of those named are added, or none. They see what is said from then on.';
  static override examples = ['<%= config.bin %> social message group add "tea party" dan'];
  static override usage = 'social message group add NAME MEMBER...';
  static override strict = false;
  static override args = {
    ...groupArgument,
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const { id, title } = await socialGroupNamed(client, args.name);
    const userIds = (argv as string[]).slice(1);
    const group = await perform(client, social.addParticipants, { id, userIds });
    await this.answer(group, () => escapeForTerminal(`Added ${counted(userIds.length, 'member')} to #${title}.`));
  }
}
