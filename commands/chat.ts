import { chatKeyFlag } from '../src/cli/accounts/own-key.ts';
import { ConversationListCommand } from '../src/cli/chat/conversation-list-command.ts';
import { ownSide } from '../src/cli/chat/sealed/own-side.ts';
import { hasFullScreen } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';

/** What is listed without a terminal. */
const LISTED = 50;

export default class Chat extends ConversationListCommand {
  static override summary = 'Read and write your conversations on the terminal, as messages come';
  static override description =
    'A list of conversations, and the one that is open. Keys: Enter opens and sends, Tab goes between the two, Ctrl-J begins another line, PageUp shows older messages, Up in an empty line changes your last message, Ctrl-P marks one for /reply, /react and others, /help shows all, and /quit ends. Without a terminal, conversations are listed.';
  static override examples = ['<%= config.bin %> chat'];
  static override strict = false;
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Chat);
    if (argv.length > 0) throw unknownCommand(['chat', ...(argv as string[])], this.config);
    const { terminal } = this;
    if (!hasFullScreen(terminal) || this.wantsJson) {
      await using client = await this.connect(flags);
      await this.list(client, false, { most: LISTED });
      return;
    }
    const { chatOnScreen } = await import('../src/cli/chat/messenger/messenger.ts');
    await chatOnScreen(terminal, {
      connect: async () => await this.connectToWatch(flags),
      screen: async () => await this.screen(),
      side: (client, tell) => ownSide({ client, terminal, keyFile: flags['key-file'], say: tell, warn: tell }),
    });
  }
}
