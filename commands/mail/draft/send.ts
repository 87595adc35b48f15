import { perform } from '../../../src/client/perform.ts';
import { messageNamed } from '../../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../../src/cli/mail/message-argument.ts';
import { sendTime } from '../../../src/cli/mail/send-time.ts';
import { SendingCommand } from '../../../src/cli/mail/sending-command.ts';
import { timeFlags } from '../../../src/cli/mail/sending.ts';
import { mail } from '../../../src/contract/mail.ts';

export default class DraftSend extends SendingCommand {
  static override summary = 'Send a draft';
  static override description = 'It is no draft afterwards. With --undo or --at it leaves later.';
  static override examples = ['<%= config.bin %> mail draft send 01a207df9916'];
  static override args = messageArgument;
  static override flags = timeFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DraftSend);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const sendAt = sendTime(flags.at, flags.undo, Date.now());
    const sent = await perform(client, mail.sendDraft, { messageId, sendAt });
    await this.tell(sent, sendAt);
  }
}
