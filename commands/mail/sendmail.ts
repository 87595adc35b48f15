import { readAll, sendGiven } from '../../src/cli/mail/sendmail/send-given.ts';
import { SendingCommand } from '../../src/cli/mail/sending-command.ts';
import { sendmailWords } from '../../src/cli/mail/sendmail/words.ts';

export default class Sendmail extends SendingCommand {
  static override summary = 'Send a message from standard input, as sendmail does';
  static override description = `For programs that call sendmail, such as cron, git send-email and mutt. With -t, recipients are those in To, Cc and Bcc, and otherwise the arguments. A line with a single dot ends the message, unless -i is given.
A message without From is from your mailbox; -f and -F give its address and its name. Addresses without a domain get that of your mailbox. Options that only concern mail servers are ignored.`;
  static override usage = 'mail sendmail [-t] [-i] [-oi] [-f ADDRESS] [-F NAME] [--] [ADDRESS]...';
  static override examples = ['<%= config.bin %> mail sendmail ada bob@attic.example < report.txt'];
  static override strict = false;

  async run(): Promise<void> {
    const options: Record<string, { readonly type: string }> = Sendmail.baseFlags;
    const words = sendmailWords(this.argv, (name) => options[name]?.type === 'option');
    const { flags } = await this.parse(Sendmail, [...words.own]);
    const octets = await readAll(this.terminal.stdin as AsyncIterable<Uint8Array>);
    await using client = await this.connect(flags);
    const reply = await sendGiven(client, words, octets);
    await this.answer(reply, () => '');
    this.endUnlessDelivered(reply);
  }
}
