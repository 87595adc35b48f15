import { Args, Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { fileFlag, modeFlag, textArgument } from '../../src/cli/chat/arguments.ts';
import { listDirect } from '../../src/cli/chat/direct.ts';
import { conversationTable } from '../../src/cli/chat/conversation-table.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { sendSomewhere } from '../../src/cli/chat/sealed/send-somewhere.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';

export default class Direct extends ChatCommand {
  static override summary = 'List your conversations with one other member, or begin one';
  static override description =
    'A conversation begins with its first message, so TEXT is read from --file or from standard input without it. If there is one with the member, the message goes on in it. --mode says who can read one that begins.';
  static override examples = [
    '<%= config.bin %> chat direct',
    '<%= config.bin %> chat direct --archived',
    '<%= config.bin %> chat direct bob "Tea at four?"',
    '<%= config.bin %> chat direct bob "For you alone" --mode client',
  ];
  static override args = {
    name: Args.string({ description: 'username or id of the member; without it, your conversations are listed' }),
    ...textArgument,
  };
  static override flags = {
    archived: Flags.boolean({ description: 'list those that you archived' }),
    ...pageFlags(50),
    ...fileFlag,
    ...modeFlag,
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Direct);
    if (args.name === undefined) {
      await using client = await this.connect(flags);
      const found = await listDirect(client, flags.archived, shownBy(flags));
      await this.answer(found, (screen) => conversationTable(screen, found.items));
      if (found.items.length === 0) this.say('There are no conversations here.');
      if (found.hasMore) this.say('There are more. Use --limit or --all.');
      return;
    }
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const writing = { to: args.name, content, mode: flags.mode, toMember: true };
    const sent = await sendSomewhere(this.side(client, flags), writing);
    await this.answer(sent, (screen) => messagesText(screen, [sent]));
  }
}
