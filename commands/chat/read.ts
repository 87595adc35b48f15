import { perform } from '../../src/client/perform.ts';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { readFlags, withArgument } from '../../src/cli/chat/arguments.ts';
import { messageNamed } from '../../src/cli/chat/find-conversation.ts';
import { fileHint, messagesText } from '../../src/cli/chat/message-view.ts';
import { pagesOf, readPart } from '../../src/cli/chat/read-messages.ts';
import { operationsOf } from '../../src/cli/chat/operations.ts';
import { checkedConversation } from '../../src/cli/chat/sealed/checked-conversation.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { noteReading } from '../../src/cli/chat/sealed/notes.ts';
import { shownBy } from '../../src/cli/kit/list-command.ts';

export default class Read extends ChatCommand {
  static override summary = 'Read a conversation: its newest messages, in their order';
  static override description =
    'What is shown, and all before it, is marked as read, unless --keep-unread is given. With --json, `cursor` continues with older messages by --cursor.';
  static override examples = [
    '<%= config.bin %> chat read bob',
    '<%= config.bin %> chat read bob --unread --keep-unread',
  ];
  static override args = withArgument;
  static override flags = { ...readFlags, ...chatKeyFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    await using client = await this.connect(flags);
    const side = this.side(client, flags);
    const conversation = await checkedConversation(side, args.with);
    const { id, readSeq, title } = conversation;
    const around = flags.around === undefined ? undefined : await messageNamed(client, conversation, flags.around);
    const part = { after: flags.unread ? readSeq : undefined, around };
    const found = await readPart(pagesOf(client, conversation), part, shownBy(flags));
    const page = { ...found, items: await side.read(conversation, found.items) };
    const text = { conversationId: id, title, ...page };
    await this.answer(text, (screen) => messagesText(screen, page.items));
    const last = page.items.at(-1)?.seq ?? 0;
    if (!flags['keep-unread'] && last > readSeq)
      await perform(client, operationsOf[conversation.type].read, { conversationId: id, seq: last });
    await noteReading(side, conversation, page.items, await this.screen(this.terminal.stderr));
    const hint = this.terminal.stdout.isTTY === true && !flags.json ? fileHint(page.items) : undefined;
    if (hint !== undefined) this.say(hint);
    if (page.items.length === 0) this.say('There are no messages to show.');
    if (page.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
