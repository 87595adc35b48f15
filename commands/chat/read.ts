import { Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { readFlags, withArgument } from '../../src/cli/chat/arguments.ts';
import { fileHint, messagesText } from '../../src/cli/chat/message-view.ts';
import { readConversation, readThread } from '../../src/cli/chat/reading.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { noteReading } from '../../src/cli/chat/sealed/notes.ts';
import { shownBy } from '../../src/cli/kit/list-command.ts';

export default class Read extends ChatCommand {
  static override summary = 'Read a conversation: its newest messages, in their order';
  static override description =
    'What is shown, and all before it, is marked as read, unless --keep-unread is given; of a thread, its answers alone. With --json, `cursor` continues with older messages by --cursor.';
  static override examples = [
    '<%= config.bin %> chat read bob',
    '<%= config.bin %> chat read bob --unread --keep-unread',
    '<%= config.bin %> chat read "#tea party" --thread 01a207df9916',
  ];
  static override args = withArgument;
  static override flags = {
    ...readFlags,
    thread: Flags.string({
      description: 'only this message and what answers it',
      helpValue: 'MESSAGE',
      exclusive: ['unread', 'around'],
    }),
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const shown = shownBy(flags);
    const { page, messages, mark } =
      flags.thread === undefined
        ? await readConversation(side, conversation, flags, shown)
        : await readThread(side, conversation, flags.thread, shown);
    const text = { conversationId: conversation.id, title: conversation.title, ...page };
    await this.answer(text, (screen) => messagesText(screen, messages));
    if (!flags['keep-unread']) await mark();
    await noteReading(side, conversation, messages, await this.screen(this.terminal.stderr));
    const hint = this.terminal.stdout.isTTY === true && !flags.json ? fileHint(messages) : undefined;
    if (hint !== undefined) this.say(hint);
    if (messages.length === 0) this.say('There are no messages to show.');
    if (page.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
