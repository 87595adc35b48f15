import { Flags } from '@oclif/core';
import { assertAttachable, attachFlag, uploadFiles } from '../../../src/cli/chat/attached-files.ts';
import { fileFlag, textArgument } from '../../../src/cli/chat/arguments.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { textOf } from '../../../src/cli/kit/text-argument.ts';
import { nameArgument } from '../../../src/cli/social/messages/arguments.ts';
import { sendSocialMessage } from '../../../src/cli/social/messages/send-message.ts';

export default class Send extends ApiCommand {
  static override summary = 'Send a message to a member, or into a group';
  static override description =
    'A conversation with a member begins with the first message. If you do not follow each other, that is a request: you can send more when it is accepted. Without TEXT it is read from --file or from standard input.';
  static override examples = [
    '<%= config.bin %> social message send bob "Tea at four?"',
    '<%= config.bin %> social message send "#tea party" "@bob brings cake."',
    '<%= config.bin %> social message send bob "I come." --reply-to 01a207df9916',
    '<%= config.bin %> social message send bob "The plan" --attach plan.pdf',
  ];
  static override args = { ...nameArgument, ...textArgument };
  static override flags = {
    ...fileFlag,
    ...attachFlag,
    'reply-to': Flags.string({ description: 'the message that this one answers', helpValue: 'MESSAGE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Send);
    await assertAttachable(flags.attach);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const attachments = await uploadFiles(this.terminal, client, flags.attach);
    const message = { content, attachments, reply: flags['reply-to'] };
    const { shown, request } = await sendSocialMessage(client, args.name, message);
    const answer = { ...shown.message, ...(request !== undefined && { request }) };
    await this.answer(answer, (screen) => messagesText(screen, [shown]));
    if (request === 'sent')
      this.say(`This is a message request. You can send more when ${args.name} accepts it, or answers.`);
    if (request === 'accepted') this.say('The message request is accepted.');
  }
}
