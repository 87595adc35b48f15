import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupArgument } from '../../../src/cli/chat/group-arguments.ts';
import { membersNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add members of this node to a group';
  static override description =
    'For the owner and admins. All of those named are added, or none. They see what is said from then on.';
  static override examples = ['<%= config.bin %> chat group add "tea party" dan'];
  static override usage = 'chat group add GROUP MEMBER...';
  static override strict = false;
  static override args = {
    ...groupArgument,
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberIds = await membersNamed(client, (argv as string[]).slice(1));
    const reply = await perform(client, chat.groupAddMembers, { conversationId: id, memberIds });
    await this.answer(reply, () => escapeForTerminal(`Added ${counted(reply.added.length, 'member')} to #${title}.`));
  }
}
