import { Args } from '@oclif/core';
import { perform } from '../../../client/perform.ts';
import { chatRoles, type ChatRole, type RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { confirmed } from '../../kit/confirmation.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { yesFlag } from '../../social/hub-named.ts';
import { memberNamed } from '../members.ts';
import { wordsOf, roomAndMember } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';

export function roleIn(type: RoomType) {
  return class Role extends ApiCommand {
    static override summary = `Give a member of a ${type} a role`;
    static override description =
      'For the owner. Whoever makes another member the owner is an admin from then on, and is asked before.';
    static override examples = [
      `<%= config.bin %> chat ${type} role ${wordsOf[type].example} bob moderator`,
      `<%= config.bin %> chat ${type} role ${wordsOf[type].example} bob owner`,
    ];
    static override args = {
      ...roomAndMember(type),
      role: Args.string({ description: 'the role', options: [...chatRoles], required: true }),
    };
    static override flags = yesFlag;

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Role);
      await using client = await this.connect(flags);
      const { id, title } = await checkedRoom(client, args[type], type);
      const memberId = await memberNamed(client, args.member);
      const role = args.role as ChatRole;
      const words = escapeForTerminal(`Make ${args.member} the owner of #${title}? You are an admin from then on.`);
      await confirmed(this.terminal, flags.yes || role !== 'owner', words);
      const reply = await perform(client, roomOperations[type].setRole, { conversationId: id, memberId, role });
      await this.answer(reply, () => escapeForTerminal(`The role of ${args.member} in #${title}: ${reply.role}.`));
    }
  };
}
