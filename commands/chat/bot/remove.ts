import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { botNamed } from '../../../src/cli/chat/bots.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class BotRemove extends ApiCommand {
  static override summary = 'End a bot token of yours';
  static override description =
    'Its program is refused at once, and its sockets are closed. What was written with it stays.';
  static override examples = ['<%= config.bin %> chat bot remove deploys'];
  static override args = {
    bot: Args.string({ description: 'its name, or eight or more digits of its id', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(BotRemove);
    await using client = await this.connect(flags);
    const { botId, name } = await botNamed(client, args.bot);
    const reply = await perform(client, chat.removeBot, { botId });
    await this.answer({ botId, ...reply }, () => `Removed bot token ${escapeForTerminal(name)}.`);
  }
}
