import { Args } from '@oclif/core';
import { perform } from '../../../../src/client/perform.ts';
import { ApiCommand } from '../../../../src/cli/kit/command.ts';
import { counted } from '../../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../../src/cli/kit/escape-for-terminal.ts';
import { groupOf } from '../../../../src/cli/social/messages/groups.ts';
import { social } from '../../../../src/contract/social.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a group, as its owner';
  static override description = 'All of those named are in it, or it is not created. A group has at most 50 members.';
  static override examples = ['<%= config.bin %> social message group create "tea party" bob cleo'];
  static override usage = 'social message group create NAME MEMBER...';
  static override strict = false;
  static override args = {
    name: Args.string({ description: 'name of the group', required: true }),
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const participantIds = (argv as string[]).slice(1);
    const asked = { type: 'group', name: args.name, participantIds } as const;
    const group = groupOf(await perform(client, social.beginConversation, asked));
    await this.answer(group.conversation, () =>
      escapeForTerminal(`Created #${group.title} with ${counted(group.memberCount, 'member')}: ${group.id}`),
    );
  }
}
