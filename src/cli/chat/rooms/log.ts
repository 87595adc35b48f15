import { collectPages } from '../../../client/pages.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { pageFlags, shownBy } from '../../kit/list-command.ts';
import { table } from '../../kit/table.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';
import { deedColumns } from './views.ts';

export function logOf(type: RoomType) {
  return class Log extends ApiCommand {
    static override summary = `List what was done in a ${type} by those with a role, the latest first`;
    static override description = 'For moderators and above.';
    static override examples = [`<%= config.bin %> chat ${type} log ${wordsOf[type].example}`];
    static override args = roomArgument(type);
    static override flags = pageFlags(50);

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Log);
      await using client = await this.connect(flags);
      const { id } = await checkedRoom(client, args[type], type);
      const filter = { conversationId: id };
      const { items, ...more } = await collectPages(client, roomOperations[type].log, filter, 'items', shownBy(flags));
      await this.answer({ items, ...more }, (screen) => table(screen, items, deedColumns));
      if (more.hasMore) this.say('There are more. Use --limit or --all.');
    }
  };
}
