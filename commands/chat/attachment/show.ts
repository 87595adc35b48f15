import { Args } from '@oclif/core';
import { chatKeyFlag } from '../../../src/cli/accounts/own-key.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';
import { savingAttachment, viewedAttachment } from '../../../src/cli/chat/view-attachment.ts';

export default class AttachmentShow extends ChatCommand {
  static override summary = 'Show an attachment of a message: its text, or its picture';
  static override description =
    'It is shown as what its content is, whatever its sender calls it. Of a text you see the first 256 KiB. PNG, JPEG, WebP, GIF and BMP are drawn on a terminal. Of anything else, and of pictures without a terminal, you see the name, the type and the size.';
  static override examples = ['<%= config.bin %> chat attachment show 01a2281692f9809b86221a02bf06a2d5'];
  static override args = {
    id: Args.string({ description: 'id of the attachment, as conclave chat read shows it', required: true }),
  };
  static override flags = chatKeyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AttachmentShow);
    await using client = await this.connect(flags);
    const { previewOf } = await import('../../../src/cli/kit/preview/content.ts');
    const { previewFacts, previewText } = await import('../../../src/cli/kit/preview/answer.ts');
    const file = await viewedAttachment(this.side(client, flags), args.id);
    const preview = await previewOf(file);
    await this.answer({ id: args.id, ...previewFacts(file, preview) }, (screen) =>
      previewText(this.terminal, screen, file, preview),
    );
    if (preview.kind === 'hidden') this.say(`${preview.why} ${savingAttachment(args.id)}`);
    else if (preview.kind === 'text' && !preview.isWhole)
      this.say(`This is the beginning of ${file.name}. ${savingAttachment(args.id)}`);
    else if (file.size === 0) this.say(`${file.name} is empty.`);
  }
}
