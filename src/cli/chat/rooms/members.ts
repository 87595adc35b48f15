import { Flags } from '@oclif/core';
import { collectPages } from '../../../client/pages.ts';
import { chatRoles, type ChatRole, type RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { pageFlags, shownBy } from '../../kit/list-command.ts';
import { table } from '../../kit/table.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';
import { inOrderOfRoles, memberColumns } from './views.ts';

export function membersOf(type: RoomType) {
  return class Members extends ApiCommand {
    static override summary = `List the members of a ${type} with their roles`;
    static override description = 'By role, and then by name.';
    static override examples = [
      `<%= config.bin %> chat ${type} members ${wordsOf[type].example}`,
      `<%= config.bin %> chat ${type} members ${wordsOf[type].example} --role admin`,
    ];
    static override args = roomArgument(type);
    static override flags = {
      role: Flags.string({ description: 'only those with this role', options: [...chatRoles] }),
      ...pageFlags(50),
    };

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Members);
      await using client = await this.connect(flags);
      const { id } = await checkedRoom(client, args[type], type);
      const filter = { conversationId: id, ...(flags.role !== undefined && { role: flags.role as ChatRole }) };
      const { items, ...more } = await collectPages(
        client,
        roomOperations[type].members,
        filter,
        'items',
        shownBy(flags),
      );
      await this.answer({ items, ...more }, (screen) => table(screen, inOrderOfRoles(items), memberColumns(items)));
      if (more.hasMore) this.say('There are more. Use --limit or --all.');
    }
  };
}
