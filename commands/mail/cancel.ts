import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Cancel extends ApiCommand {
  static override summary = 'Take back a message that has not left, and keep it as a draft';
  static override examples = ['<%= config.bin %> mail cancel 01a207df9916'];
  static override args = messageArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const taken = await perform(client, mail.cancel, { messageId });
    await this.answer(taken, () => `Taken back. The draft is ${taken.id}.`);
    this.say(`To send it, run: conclave mail draft send ${taken.id}`);
  }
}
