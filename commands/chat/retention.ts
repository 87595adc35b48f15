import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { withArgument } from '../../src/cli/chat/arguments.ts';
import { retentionInWords, retentionOf } from '../../src/cli/chat/rooms/rules.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { yesFlag } from '../../src/cli/social/hub-named.ts';
import { chat } from '../../src/contract/chat.ts';

const changes = {
  direct: chat.setRetention,
  group: chat.updateGroup,
  channel: chat.updateChannel,
} as const;

export default class Retention extends ChatCommand {
  static override summary = 'Show or change how long a conversation keeps its messages';
  static override description =
    'In a conversation of two, either of them can change it, and both hear of it; in groups and channels the owner can. Older messages are erased for good, which is asked before.';
  static override examples = [
    '<%= config.bin %> chat retention bob',
    '<%= config.bin %> chat retention bob 7d',
    '<%= config.bin %> chat retention "tea party" off',
  ];
  static override args = {
    ...withArgument,
    time: Args.string({ description: 'how long (12h, 7d, 4w), or off: as long as it is there' }),
  };
  static override flags = yesFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Retention);
    const wanted = args.time === undefined ? undefined : retentionOf(args.time, 'The time');
    await using client = await this.connect(flags);
    const conversation = await checkedConversation(this.side(client), args.with);
    const { id: conversationId, title, type } = conversation;
    let { retentionMs } = conversation;
    if (wanted !== undefined) {
      const words = `Erase what is older than ${retentionInWords(wanted)} with ${title}, now and from now on?`;
      const erases = wanted !== null && wanted < (retentionMs ?? Infinity);
      await confirmed(this.terminal, flags.yes || !erases, escapeForTerminal(words));
      ({ retentionMs } = await perform(client, changes[type], { conversationId, retentionMs: wanted }));
    }
    await this.answer({ id: conversationId, retentionMs }, () =>
      escapeForTerminal(`Messages are kept in ${title}: ${retentionInWords(retentionMs)}.`),
    );
  }
}
