import { hasFullScreen } from '../src/cli/kit/terminal.ts';
import { unknownCommand } from '../src/cli/kit/unknown-command.ts';
import { MailListCommand } from '../src/cli/mail/mail-list.ts';

export default class Mail extends MailListCommand {
  static override summary = 'Read your e-mail on the terminal';
  static override description =
    'A list of threads. Keys: Enter reads, c writes, r replies, F forwards, a archives, d moves to the trash, z takes back, x marks several, / searches, f goes to a folder, q quits, and ? shows all keys. New messages appear by themselves. Without a terminal, the inbox is listed.';
  static override examples = ['<%= config.bin %> mail'];
  static override strict = false;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Mail);
    if (argv.length > 0) throw unknownCommand(['mail', ...(argv as string[])], this.config);
    const { terminal } = this;
    if (!hasFullScreen(terminal) || this.wantsJson) {
      await this.list('inbox', { ...flags, sort: 'date', page: 1, 'page-size': 50 });
      return;
    }
    const [{ readMail }, { withFullScreen }] = await Promise.all([
      import('../src/cli/mail/reader/reader.ts'),
      import('../src/cli/kit/full-screen.ts'),
    ]);
    const connect = async () => await this.connect(flags);
    const screen = async () => await this.screen();
    await withFullScreen(
      terminal,
      { connect, screen },
      async (full) => await readMail({ ...full, connect, undoing: {} }),
    );
  }
}
