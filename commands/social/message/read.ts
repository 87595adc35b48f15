import { perform } from '../../../src/client/perform.ts';
import { readFlags } from '../../../src/cli/chat/arguments.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { readPart } from '../../../src/cli/chat/read-messages.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { shownBy } from '../../../src/cli/kit/list-command.ts';
import { nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { isAskedFor, socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { socialMessageIn, socialPagesOf } from '../../../src/cli/social/messages/messages.ts';
import { social } from '../../../src/contract/social.ts';

export default class Read extends ApiCommand {
  static override summary = 'Read a conversation: its newest messages, in their order';
  static override description =
    'What is shown, and all before it, is marked as read, unless --keep-unread is given. A message request can be read before you decide. With --json, `cursor` continues with older messages by --cursor.';
  static override examples = [
    '<%= config.bin %> social message read bob',
    '<%= config.bin %> social message read bob --unread --keep-unread',
  ];
  static override args = nameArgument;
  static override flags = readFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Read);
    await using client = await this.connect(flags);
    const conversation = await socialConversationNamed(client, args.name);
    const { id, readSeq, title } = conversation;
    const around = flags.around === undefined ? undefined : await socialMessageIn(client, conversation, flags.around);
    const part = { after: flags.unread ? readSeq : undefined, around };
    const { items, ...more } = await readPart(socialPagesOf(client, conversation), part, shownBy(flags));
    const messages = items.map(({ message }) => message);
    await this.answer({ conversationId: id, title, messages, ...more }, (screen) => messagesText(screen, items));
    const last = items.at(-1);
    if (!flags['keep-unread'] && last !== undefined && last.seq > readSeq)
      await perform(client, social.readConversation, { id, messageId: last.id });
    if (items.length === 0) this.say('There are no messages to show.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
    if (await isAskedFor(client, conversation))
      this.say(
        `This is a message request. To decide, run: conclave social message accept ${title}, or: conclave social message decline ${title}`,
      );
  }
}
