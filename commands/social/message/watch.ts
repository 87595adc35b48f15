import { Args } from '@oclif/core';
import { newsIn, openNews } from '../../../src/cli/chat/conversation-news.ts';
import { messageLine, watchMessages } from '../../../src/cli/chat/new-messages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapedJson } from '../../../src/cli/kit/escape-for-terminal.ts';
import type { Watching } from '../../../src/cli/kit/topic-watch.ts';
import { nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { socialPagesOf } from '../../../src/cli/social/messages/messages.ts';
import { socialConversations } from '../../../src/cli/social/messages/own-conversations.ts';
import { openRequestNews, requestWords, watchWithRequests } from '../../../src/cli/social/messages/request-news.ts';

export default class Watch extends ApiCommand {
  static override summary = 'Tell messages as they come, in one conversation or in all';
  static override description =
    'One line for each message: id, conversation, sender and text; with --json, one JSON object. In all, message requests are told too, in words; with --json, as an object with the field `request`. Nothing is marked as read. Press Ctrl-C to stop.';
  static override examples = [
    '<%= config.bin %> social message watch',
    '<%= config.bin %> social message watch bob --json',
  ];
  static override args = { name: Args.string({ ...nameArgument.name, required: false }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Watch);
    await using client = await this.connectToWatch(flags);
    if (client.connection.kind === 'process')
      this.warnOf(
        'No server runs on this data directory. Only what other commands send comes until one does: conclave serve',
      );
    const only = args.name === undefined ? undefined : await socialConversationNamed(client, args.name);
    const source = { conversations: socialConversations, pages: socialPagesOf };
    const news = only === undefined ? await openNews(client, source) : newsIn(socialPagesOf(client, only), only);
    const requests = only === undefined ? await openRequestNews(client) : async () => [];
    this.say('Watching. Press Ctrl-C to stop.');
    const watching: Watching = {
      look: async () => {
        for (const one of await news()) {
          const { message, conversation } = one;
          const line = flags.json ? escapedJson({ ...message.message, conversation }, 0) : messageLine(one);
          this.terminal.stdout.write(`${line}\n`);
        }
        for (const request of await requests())
          if (flags.json) this.terminal.stdout.write(`${escapedJson({ request }, 0)}\n`);
          else this.say(requestWords(request));
        return !this.terminal.stdout.destroyed;
      },
      trouble: ({ message }) => this.warnOf(`${message} Trying again.`),
    };
    await (only === undefined ? watchWithRequests(client, watching) : watchMessages(client, only.id, watching));
  }
}
