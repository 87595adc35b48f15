import { collectPages } from '../../../client/pages.ts';
import type { RoomType } from '../../../contract/chat/conversation.ts';
import { ApiCommand } from '../../kit/command.ts';
import { pageFlags, shownBy } from '../../kit/list-command.ts';
import { table } from '../../kit/table.ts';
import { wordsOf, roomArgument } from './arguments.ts';
import { checkedRoom } from '../sealed/checked-conversation.ts';
import { roomOperations } from './operations.ts';
import { banColumns } from './views.ts';

export function bansOf(type: RoomType) {
  return class Bans extends ApiCommand {
    static override summary = 'List the bans that are in force, the latest first';
    static override description = 'For moderators and above.';
    static override examples = [`<%= config.bin %> chat ${type} bans ${wordsOf[type].example}`];
    static override args = roomArgument(type);
    static override flags = pageFlags(50);

    async run(): Promise<void> {
      const { args, flags } = await this.parse(Bans);
      await using client = await this.connect(flags);
      const { id } = await checkedRoom(client, args[type], type);
      const filter = { conversationId: id };
      const { items, ...more } = await collectPages(client, roomOperations[type].bans, filter, 'items', shownBy(flags));
      await this.answer({ items, ...more }, (screen) => table(screen, items, banColumns));
      if (more.hasMore) this.say('There are more. Use --limit or --all.');
    }
  };
}
