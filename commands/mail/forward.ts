import { perform } from '../../src/client/perform.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { givenText } from '../../src/cli/mail/given-text.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { sendTime } from '../../src/cli/mail/send-time.ts';
import { SendingCommand } from '../../src/cli/mail/sending-command.ts';
import { assertSomebody, completedBy, forwardFlags, recipientsOf } from '../../src/cli/mail/sending.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Forward extends SendingCommand {
  static override summary = 'Forward a message with its attachments';
  static override description = 'Its text is quoted below yours, if you give one with --body-file.';
  static override examples = ['<%= config.bin %> mail forward 01a207df9916 --to cyd@home.example'];
  static override args = messageArgument;
  static override flags = forwardFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Forward);
    const recipients = recipientsOf({ to: flags.to });
    assertSomebody(recipients);
    const file = flags['body-file'];
    const textBody = file === undefined ? undefined : await givenText(this.terminal, file);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const sendAt = sendTime(flags.at, flags.undo, Date.now());
    const { to: forwardTo } = await completedBy(client, recipients);
    const sent = await perform(client, mail.forward, { messageId, forwardTo, textBody, sendAt });
    await this.tell(sent, sendAt);
  }
}
