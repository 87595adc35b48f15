import { Args } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { messageLine, newMessagesIn, openNewMessages, watchMessages } from '../../src/cli/chat/new-messages.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { sealedWatching } from '../../src/cli/chat/sealed/watching.ts';
import { escapedJson } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Watch extends ChatCommand {
  static override summary = 'Tell messages as they come, in one conversation or in all';
  static override description =
    'One line for each message: id, conversation, sender and text; with --json, one JSON object. Nothing is marked as read. Press Ctrl-C to stop.';
  static override examples = ['<%= config.bin %> chat watch', '<%= config.bin %> chat watch bob --json'];
  static override args = { with: Args.string({ ...withArgument.with, required: false }) };
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Watch);
    await using client = await this.connectToWatch(flags);
    const side = this.side(client, flags);
    if (client.connection.kind === 'process')
      this.warnOf(
        'No server runs on this data directory. Only what other commands send comes until one does: conclave serve',
      );
    const only = args.with === undefined ? undefined : await checkedConversation(side, args.with);
    const pages = await sealedWatching(side, only);
    const news = only === undefined ? await openNewMessages(client, pages) : newMessagesIn(client, only, pages);
    this.say('Watching. Press Ctrl-C to stop.');
    await watchMessages(client, only?.id, {
      look: async () => {
        for (const one of await news()) {
          const { message, conversation } = one;
          const line = flags.json ? escapedJson({ ...message, conversation }, 0) : messageLine(one);
          this.terminal.stdout.write(`${line}\n`);
        }
        return !this.terminal.stdout.destroyed;
      },
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    });
  }
}
