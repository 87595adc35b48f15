import { perform } from '../../../src/client/perform.ts';
import { hookColumns, hookRoomArgument, hooksOfRoom } from '../../../src/cli/chat/webhooks.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { shellWord } from '../../../src/cli/kit/shell-word.ts';
import { table } from '../../../src/cli/kit/table.ts';

export default class WebhookList extends ApiCommand {
  static override summary = 'List the webhooks of a group or channel, the oldest first';
  static override description = 'For the owner. Nobody is shown their addresses again.';
  static override examples = ['<%= config.bin %> chat webhook list builds'];
  static override args = hookRoomArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookList);
    await using client = await this.connect(flags);
    const { room, list } = await hooksOfRoom(client, args.conversation);
    const { items } = await perform(client, list, { conversationId: room.id });
    await this.answer({ items }, (screen) => table(screen, items, hookColumns));
    if (items.length === 0)
      this.say(
        `#${room.title} has no webhook. To make one, run: conclave chat webhook create ${shellWord(room.title)} NAME`,
      );
  }
}
