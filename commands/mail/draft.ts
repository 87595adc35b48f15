import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { assertAttachable, attachedFiles } from '../../src/cli/mail/attached-files.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { completedBy, contentFlags, recipientFlags, recipientsOf } from '../../src/cli/mail/sending.ts';
import { writtenBody } from '../../src/cli/mail/written-body.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Draft extends ApiCommand {
  static override summary = 'Keep a message as a draft';
  static override description =
    'Its text is read as that of conclave mail send. Nobody has to be named. With --in-reply-to it belongs to the thread of another message.';
  static override examples = ['<%= config.bin %> mail draft --to bob@home.example --subject "The plan"'];
  static override flags = {
    ...recipientFlags,
    subject: Flags.string({ description: 'subject, one line', helpValue: 'TEXT', default: '' }),
    'in-reply-to': Flags.string({ description: 'message that it answers', helpValue: 'MESSAGE' }),
    ...contentFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Draft);
    const recipients = recipientsOf(flags);
    await assertAttachable(flags.attach);
    const body = await writtenBody(this.terminal, flags, { warn: (text) => this.warnOf(text) });
    await using client = await this.connect(flags);
    const answered = flags['in-reply-to'];
    const inReplyTo = answered === undefined ? undefined : await messageNamed(client, await this.screen(), answered);
    const attachments = await attachedFiles(this.terminal, client, flags.attach ?? []);
    const people = await completedBy(client, recipients);
    const message = { ...people, subject: flags.subject, ...body, attachments, inReplyTo };
    const draft = await perform(client, mail.createDraft, message);
    await this.answer(draft, () => `Kept ${draft.id}.`);
    this.say(`To send it, run: conclave mail draft send ${draft.id}`);
  }
}
