import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { groupNamed } from '../../../src/cli/chat/find-conversation.ts';
import { groupAndMember } from '../../../src/cli/chat/group-arguments.ts';
import { memberNamed } from '../../../src/cli/chat/members.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../../src/cli/social/hub-named.ts';
import { chat } from '../../../src/contract/chat.ts';
import { chatRoles, type ChatRole } from '../../../src/contract/chat/conversation.ts';

export default class Role extends ApiCommand {
  static override summary = 'Give a member of a group a role';
  static override description =
    'For the owner. Whoever makes another member the owner is an admin from then on, and is asked before.';
  static override examples = [
    '<%= config.bin %> chat group role "tea party" bob moderator',
    '<%= config.bin %> chat group role "tea party" bob owner',
  ];
  static override args = {
    ...groupAndMember,
    role: Args.string({ description: 'the role', options: [...chatRoles], required: true }),
  };
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Role);
    await using client = await this.connect(flags);
    const { id, title } = await groupNamed(client, args.group);
    const memberId = await memberNamed(client, args.member);
    const role = args.role as ChatRole;
    const words = escapeForTerminal(`Make ${args.member} the owner of #${title}? You are an admin from then on.`);
    await confirmed(this.terminal, flags.yes || role !== 'owner', words);
    const reply = await perform(client, chat.groupSetRole, { conversationId: id, memberId, role });
    await this.answer(reply, () => escapeForTerminal(`The role of ${args.member} in #${title}: ${reply.role}.`));
  }
}
