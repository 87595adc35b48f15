import { Args, Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { allThreads, threadsIn, threadsTable } from '../../src/cli/chat/threads.ts';
import { pageFlags } from '../../src/cli/kit/list-command.ts';

const { limit, all } = pageFlags(50);

export default class Threads extends ChatCommand {
  static override summary = 'List threads, those with unread answers first';
  static override description =
    'A thread is a message with all that answer it or one of its answers. Without WITH it lists those of your 100 conversations with the newest activity; with --all, of all of them.';
  static override examples = [
    '<%= config.bin %> chat threads',
    '<%= config.bin %> chat threads "#tea party" --unread',
    '<%= config.bin %> chat threads --following',
  ];
  static override args = { with: Args.string({ ...withArgument.with, required: false }) };
  static override flags = {
    unread: Flags.boolean({ description: 'only those with answers that you have not read' }),
    following: Flags.boolean({ description: 'only those that you follow' }),
    limit,
    all,
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Threads);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const { unread, following } = flags;
    const wanted = { unread, following, most: flags.all ? Number.POSITIVE_INFINITY : flags.limit };
    const found =
      args.with === undefined
        ? await allThreads(side, wanted)
        : await threadsIn(side, await checkedConversation(side, args.with), wanted);
    await this.answer(found, (screen) => threadsTable(screen, found.items, args.with === undefined));
    if (found.items.length === 0) this.say('There are no threads here.');
    if (found.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
