import { Args } from '@oclif/core';
import { chat } from '../../../src/contract/chat.ts';
import type { ChosenStatus } from '../../../src/contract/chat/presence.ts';
import { perform } from '../../../src/client/perform.ts';
import { ownPresenceText } from '../../../src/cli/chat/presence.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

export default class PresenceSet extends ApiCommand {
  static override summary = 'Set whether you are there';
  static override description =
    'It holds until you set another one, and others see it while a program of yours is connected; a command is not. dnd turns Do Not Disturb of notifications on, and online and idle turn it off.';
  static override examples = ['<%= config.bin %> chat presence set dnd'];
  static override args = {
    status: Args.string({
      description: 'online, idle or dnd',
      options: ['online', 'idle', 'dnd'] satisfies ChosenStatus[],
      required: true,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PresenceSet);
    await using client = await this.connect(flags);
    const reply = await perform(client, chat.setPresence, { status: args.status as ChosenStatus });
    await this.answer(reply, () => ownPresenceText(reply.own));
  }
}
