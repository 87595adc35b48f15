import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import {
  bodyFlags,
  ownMailbox,
  recipientFlags,
  recipientsFrom,
  sentText,
  writtenFrom,
} from '../../src/cli/mail/writing.ts';
import { mailSending } from '../../src/contract/mail/sending.ts';

export default class Send extends ApiCommand {
  static override summary = 'Send a message';
  static override description =
    'The text comes from a file or from standard input. What becomes of it, conclave mail status tells.';
  static override examples = [
    '<%= config.bin %> mail send --to bob@home.example --subject Plans --body-file plans.txt',
  ];
  static override flags = {
    ...recipientFlags,
    subject: Flags.string({ description: 'the subject', helpValue: 'TEXT', default: '' }),
    ...bodyFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Send);
    const recipients = recipientsFrom(flags);
    const written = await writtenFrom(this.terminal, flags);
    await using client = await this.connect(flags);
    const message = { from: await ownMailbox(client), ...recipients, subject: flags.subject, ...written };
    const reply = await perform(client, mailSending.send, message);
    await this.answer(reply, () => sentText(reply));
    if (flags.at !== undefined)
      this.say(`To take it back until then, run: conclave mail cancel ${reply.id.slice(0, 12)}`);
  }
}
