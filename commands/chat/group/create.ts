import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { modeFlag } from '../../../src/cli/chat/arguments.ts';
import { membersNamed } from '../../../src/cli/chat/members.ts';
import { beginning } from '../../../src/cli/chat/sealed/beginning.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Create extends ChatCommand {
  static override summary = 'Create a group, as its owner';
  static override description =
    'All of those named are in it, or it is not created. Names need not be unique. With --mode client only its members can read what is said, and not the node.';
  static override examples = [
    '<%= config.bin %> chat group create "tea party" bob cleo',
    '<%= config.bin %> chat group create board bob cleo --mode client',
  ];
  static override usage = 'chat group create NAME MEMBER...';
  static override strict = false;
  static override args = {
    name: Args.string({ description: 'name of the group', required: true }),
    member: Args.string({ description: 'usernames or ids of members', required: true }),
  };

  static override flags = { ...modeFlag, ...chatKeyFlag };

  async run(): Promise<void> {
    const { args, argv, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const memberIds = await membersNamed(client, (argv as string[]).slice(1));
    const side = this.side(client, flags);
    const { name } = args;
    const group = await beginning(
      side,
      memberIds,
      flags.mode,
      async (input) => await perform(client, chat.createGroup, { name, memberIds, ...input }),
      (made) => ({ type: 'group', title: made.name }),
    );
    await this.answer(group, () =>
      escapeForTerminal(`Created #${group.name} with ${counted(group.members.length, 'member')}: ${group.id}`),
    );
  }
}
