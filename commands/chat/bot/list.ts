import { perform } from '../../../src/client/perform.ts';
import { botTable } from '../../../src/cli/chat/bots.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class BotList extends ApiCommand {
  static override summary = 'List your bot tokens, the newest first';
  static override description = 'Nobody is shown the tokens themselves again.';
  static override examples = ['<%= config.bin %> chat bot list', '<%= config.bin %> chat bot list --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(BotList);
    await using client = await this.connect(flags);
    const { items } = await perform(client, chat.bots, {});
    await this.answer({ items }, (screen) => botTable(screen, items));
    if (items.length === 0)
      this.say('You have no bot token. To make one, run: conclave chat bot create NAME --write WITH');
  }
}
